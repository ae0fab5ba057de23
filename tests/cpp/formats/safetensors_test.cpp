#include "formats/safetensors.h"

#include <doctest/doctest.h>

#include <array>

#include "formats/weight_files.h"

using namespace webformer;
using namespace webformer::test;

namespace {

const std::array<float, 6> weight{1, 2, 3, 4, 5, 6};
const std::array<std::int64_t, 2> ids{-7, std::int64_t(1) << 60};
const std::array<SafetensorsTensor, 3> sample{{
    {{"weight", DType::f32, Shape{2, 3}}, std::as_bytes(std::span(weight))},
    {{"nothing", DType::f16, Shape{0, 4}}, {}},
    {{"ids", DType::i64, Shape{2}}, std::as_bytes(std::span(ids))},
}};

std::string hostile(const std::string& name) { return "tests/fixtures/hostile/" + name + ".safetensors"; }

std::string refusal(const std::string& name) {
  const auto file = read_file(hostile(name + ".invalid_file"));
  return message_of([&] { stream_file(file, file.size() + 1); });
}

}  // namespace

TEST_CASE("what is written as safetensors is read back the same") {
  const auto file = write_safetensors(sample, {{"format", "pt"}, {"step", "7"}});
  const StreamedFile read = stream_file(file, 5);
  REQUIRE(read.table().tensors.size() == 3);
  CHECK(read.order == std::vector<std::string>{"weight", "nothing", "ids"});
  const TensorInfo* found = read.table().find("weight");
  REQUIRE(found);
  CHECK(found->dtype == DType::f32);
  CHECK(found->shape == Shape{2, 3});
  CHECK(found->end - found->begin == 24);
  CHECK(read.table().find("ids")->end == file.size());
  CHECK(read.table().find("id") == nullptr);
  CHECK(*read.table().metadata.find<std::string>("step") == "7");
  CHECK(read.table().metadata.find("other") == nullptr);

  std::array<float, 6> numbers;
  to_floats(DType::f32, read.tensors.at("weight"), numbers.data());
  CHECK(numbers == weight);
  std::array<std::int64_t, 2> integers;
  to_integers(DType::i64, read.tensors.at("ids"), integers.data());
  CHECK(integers == ids);
}

TEST_CASE("a safetensors header is the reference implementation's, byte for byte") {
  // safetensors.torch.save({"a": torch.zeros(2, dtype=torch.float32)}) writes the header in this form, padded with spaces to 8 bytes
  const std::array<SafetensorsItem, 1> items{{{"a", DType::f32, Shape{2}}}};
  const std::string expected = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  REQUIRE(expected.size() == 54);
  CHECK(safetensors_header(items) == std::string("\x38\0\0\0\0\0\0\0", 8) + expected + "  ");
}

TEST_CASE("safetensors are not written with wrong sizes or quantized types") {
  const std::array<SafetensorsTensor, 1> cut{{{{"weight", DType::f32, Shape{2, 3}}, std::as_bytes(std::span(weight)).first(20)}}};
  CHECK(message_of([&] { write_safetensors(cut); }) == "weight: 20 bytes, 24 expected for shape [2, 3] of F32");
  const std::array<SafetensorsItem, 1> block{{{"weight", DType::q4_0, Shape{32}}}};
  CHECK(verdict_of([&] { safetensors_header(block); }) == "invalid_argument");
}

TEST_CASE("tensors come in the order of their bytes, not of the header") {
  const auto file = read_file(hostile("header_in_other_order.ok"));
  CHECK(stream_file(file, 3).order == std::vector<std::string>{"bias", "weight"});
}

TEST_CASE("tensors without data are delivered too") {
  const auto file = read_file(hostile("shapes_with_0_between.ok"));
  for (const std::size_t piece : {1, 1000}) {
    const StreamedFile read = stream_file(file, piece);
    CHECK(read.order.size() == 5);
    CHECK(read.tensors.at("c").empty());
    CHECK(read.tensors.at("d") == std::vector<std::byte>{std::byte(9)});
  }
}

TEST_CASE("a scalar is one number") {
  const auto file = read_file(hostile("shape_of_rank_0.ok"));
  const StreamedFile read = stream_file(file, 1000);
  CHECK(read.table().tensors[0].shape.rank() == 0);
  float number;
  to_floats(DType::f32, read.tensors.at("a"), &number);
  CHECK(number == 1);
}

TEST_CASE("a refusal names the file, the item, what was found, and what was expected") {
  CHECK(refusal("empty") == "model.safetensors: 0 bytes, at least 8 expected of a safetensors file");
  CHECK(refusal("header_length_0") == "model.safetensors: a header of 0 bytes, \"{\" expected");
  CHECK(refusal("header_length_2_32_plus_8") == "model.safetensors: a header of 4294967304 bytes, 187 at most for a file of 195 bytes");
  CHECK(refusal("header_length_big_endian").ends_with(", its bytes look swapped (big-endian)"));
  CHECK(refusal("header_is_array") == "model.safetensors: the header starts with \"[\", \"{\" expected");
  CHECK(refusal("header_followed_by_line_feed") == "model.safetensors: the header ends with \"\\n\", \"}\" and spaces expected");
  CHECK(refusal("header_not_utf8") == "model.safetensors: byte 4: \"\xEF\xBF\xBD\" found, UTF-8 expected");
  CHECK(refusal("name_twice") == "model.safetensors: tensor \"weight\" is there twice");
  CHECK(refusal("metadata_twice") == "model.safetensors: __metadata__ is there twice");
  CHECK(refusal("metadata_number") == "model.safetensors: __metadata__.format is 1, a string expected");
  CHECK(refusal("overlapping_offsets") ==
        "model.safetensors: tensors \"weight\" and \"bias\" overlap: the first ends at byte 183, the second begins at byte 179");
  CHECK(refusal("hole_between") == "model.safetensors: tensor \"bias\" begins at byte 187, 183 expected");
  CHECK(refusal("bytes_after_last") == "model.safetensors: 1 bytes after the last tensor, which ends at byte 195");
  CHECK(refusal("two_bytes_short") == "model.safetensors: the file has 193 bytes, and tensor \"bias\" ends at byte 195");
  CHECK(refusal("offsets_exponent") == "model.safetensors: bias.data_offsets[1] is 36.0, a whole number from 0 to 2^53 expected");
  CHECK(refusal("offsets_three") == "model.safetensors: tensor \"bias\" has 3 data_offsets, 2 expected");
  CHECK(refusal("size_too_small") ==
        "model.safetensors: tensor \"bias\" has data_offsets [24, 36], 16 bytes expected for shape [4] of F32");
  CHECK(refusal("shape_wraps_to_0") == "model.safetensors: tensor \"a\": an axis of size 4294967296 makes more than 2^53 numbers");
  CHECK(refusal("shape_of_rank_1000") == "model.safetensors: tensor \"a\": 1000 axes found, 8 at most");
  CHECK(refusal("type_f128") == "model.safetensors: tensor \"a\" has type \"F128\", none that can be read");
  CHECK(refusal("name_with_nul") == "model.safetensors: a tensor is named \"a\\u0000b\": it has a control character");
  CHECK(refusal("name_of_path") == "model.safetensors: a tensor is named \"../../bias\": it has \"../\"");
  CHECK(refusal("no_shape") == "model.safetensors: tensor \"bias\" has no \"shape\"");
  CHECK(refusal("dtype_twice") == "model.safetensors: tensor \"bias\" has \"dtype\" twice");
  CHECK(refusal("unknown_key") == "model.safetensors: tensor \"bias\" has \"strides\", which is not known");
}

TEST_CASE("a file of another kind is recognised") {
  constexpr std::pair<const char*, const char*> kinds[] = {
      {"zip", "a ZIP archive"}, {"pickle", "a Python pickle"}, {"png", "a PNG image"}, {"lfs", "a Git LFS pointer"},
      {"gzip", "a gzip file"},  {"html", "an HTML page"},      {"json", "JSON text"}};
  for (const auto& [name, kind] : kinds) {
    CAPTURE(name);
    CHECK(refusal(std::string("looks_like_") + name).find(std::string("it looks like ") + kind) != std::string::npos);
  }
}
