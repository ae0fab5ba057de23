#include "formats/gguf.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "formats/weight_files.h"

using namespace webformer;
using namespace webformer::test;

namespace {

StreamedFile quantized(std::size_t piece = 1 << 20) {
  return stream_file(read_file("tests/fixtures/quantized.gguf"), piece, "quantized.gguf");
}

std::vector<float> floats_of(const StreamedFile& file, const std::string& name) {
  const TensorInfo* tensor = file.table().find(name);
  REQUIRE(tensor);
  std::vector<float> numbers(std::size_t(tensor->shape.size()));
  to_floats(tensor->dtype, file.tensors.at(name), numbers.data());
  return numbers;
}

/// The number of a float in the order of all floats: neighbours differ by 1, and both zeros have number 0.
std::int64_t place_of(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits < 0 ? std::int64_t(INT32_MIN) - bits : bits;
}

std::string refusal(const std::string& name) {
  const auto file = read_file("tests/fixtures/hostile/" + name + ".gguf");
  return message_of([&] { stream_file(file, file.size() + 1, "model.gguf"); });
}

}  // namespace

TEST_CASE("blocks of every type have the values that the gguf package gives them, to the last place of a float") {
  const StreamedFile file = quantized();
  for (const char* type :
       {"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL"}) {
    CAPTURE(type);
    REQUIRE(file.table().find(type));
    CHECK(name(file.table().find(type)->dtype) == type);
    const auto found = floats_of(file, type), expected = floats_of(file, std::string(type) + ".floats");
    REQUIRE(found.size() == expected.size());
    std::int64_t places = 0;
    for (std::size_t i = 0; i < found.size(); ++i) places = std::max(places, std::abs(place_of(found[i]) - place_of(expected[i])));
    CHECK(places <= 1);
    const auto [least, largest] = std::ranges::minmax(expected);
    CHECK(least < -1000);  // scales as small and as large as halves go
    CHECK(largest > 1000);
    CHECK(std::ranges::count_if(expected, [](float x) { return x != 0 && std::abs(x) < 1e-4f; }) > 0);
  }
}

TEST_CASE("shapes of GGUF are row-major, and whole numbers are kept") {
  const StreamedFile file = quantized();
  CHECK(file.table().find("Q4_K")->shape == Shape{7, 256});
  CHECK(file.table().find("F32")->shape == Shape{3, 11});
  std::vector<std::int64_t> numbers(5);
  to_integers(DType::i32, file.tensors.at("I32"), numbers.data());
  CHECK(numbers == std::vector<std::int64_t>{-2, -1, 0, 1, 2});
}

TEST_CASE("metadata of GGUF keep their types") {
  const StreamedFile file = quantized();
  const Metadata& metadata = file.table().metadata;
  CHECK(*metadata.find<std::string>("general.architecture") == "test");
  const std::pair<const char*, std::int64_t> whole[] = {{"value.u8", 200},
                                                        {"value.i8", -100},
                                                        {"value.u16", 60000},
                                                        {"value.i16", -30000},
                                                        {"value.u32", 4000000000},
                                                        {"value.i32", -2000000000},
                                                        {"value.i64", -(std::int64_t(1) << 62)}};
  for (const auto& [key, value] : whole) {
    CAPTURE(key);
    const auto* found = metadata.find<std::int64_t>(key);
    REQUIRE(found);
    CHECK(*found == value);
  }
  CHECK(*metadata.find<double>("value.u64") == 13835058055282163712.0);
  CHECK(*metadata.find<double>("value.f32") == 0.5);
  CHECK(*metadata.find<double>("value.f64") == 1e-300);
  CHECK(*metadata.find<bool>("value.bool"));
  CHECK(*metadata.find<std::string>("value.string") == "h\xC3\xA9llo\n");
  CHECK(metadata.find<std::string>("value.u8") == nullptr);
  CHECK(*metadata.find<std::vector<std::string>>("list.string") == std::vector<std::string>{"<s>", "",
                                                                                            "\xE2\x96\x81"
                                                                                            "a"});
  CHECK(*metadata.find<std::vector<double>>("list.float") == std::vector<double>{0, -1.5});
  CHECK(*metadata.find<std::vector<std::int64_t>>("list.int") == std::vector<std::int64_t>{1, -2, 3});
  CHECK(*metadata.find<std::vector<bool>>("list.bool") == std::vector<bool>{true, false});
}

TEST_CASE("GGUF in pieces of any size gives the same tensors") {
  const StreamedFile whole = quantized();
  for (const std::size_t piece : {1, 31, 4096}) {
    const StreamedFile file = quantized(piece);
    CHECK(file.order == whole.order);
    CHECK(file.tensors == whole.tensors);
  }
}

TEST_CASE("a GGUF header of megabytes is collected until it is complete") {
  const auto number = [](auto value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  constexpr std::uint32_t version = 3, string_type = 8;
  const std::string value(3'000'000, 'v');
  const std::string file = "GGUF" + number(version) + number(std::uint64_t(0)) + number(std::uint64_t(1)) +  //
                           number(std::uint64_t(3)) + "key" + number(string_type) + number(std::uint64_t(value.size())) + value;
  for (const std::size_t piece : {std::size_t(1000), file.size()}) {
    CHECK(*stream_file(bytes_of(file), piece).table().metadata.find<std::string>("key") == value);
  }
}

TEST_CASE("a refusal of a GGUF file names the item, what was found, and the bound") {
  CHECK(refusal("version_1.invalid_file") == "model.gguf: GGUF version 1, 2 or 3 expected");
  CHECK(refusal("big_endian.invalid_file") == "model.gguf: GGUF version 50331648 (a big-endian file), 2 or 3 expected");
  CHECK(refusal("tensor_count_2_64_minus_1.invalid_file") ==
        "model.gguf: 18446744073709551615 tensors, 8 at most in the bytes that follow");
  CHECK(refusal("cut_at_100.invalid_file") == "model.gguf: the file ends in its header, after 100 bytes");
  CHECK(refusal("key_twice.invalid_file") == "model.gguf: metadata \"general.architecture\" is there twice");
  CHECK(refusal("value_type_13.invalid_file") == "model.gguf: metadata \"k\" has type 13, 0 to 12 expected");
  CHECK(refusal("alignment_3.invalid_file") == "model.gguf: general.alignment is 3, a power of 2 expected");
  CHECK(refusal("alignment_string.invalid_file") == "model.gguf: general.alignment is no whole number, a power of 2 expected");
  CHECK(refusal("axes_5.invalid_file") == "model.gguf: tensor \"a\": 5 axes, 4 at most");
  CHECK(refusal("shape_of_2_64_minus_1.invalid_file") == "model.gguf: tensor \"a\": an axis of size 18446744073709551615, 2^53 at most");
  CHECK(refusal("offset_2_64_minus_32.invalid_file") ==
        "model.gguf: tensor \"b\" begins 18446744073709551584 bytes into the data of a file of 226 bytes");
  CHECK(refusal("array_of_arrays.invalid_file") == "model.gguf: metadata \"k\" is an array of type 9, 0 to 8 or 10 to 12 expected");
  CHECK(refusal("rows_of_half_blocks.invalid_file") == "model.gguf: tensor \"b\": rows of 16 numbers, blocks of 32 expected for Q8_0");
  CHECK(refusal("type_iq2_xxs.unsupported_model") == "model.gguf: tensor \"b\" has type IQ2_XXS, which is not read");
  CHECK(refusal("type_4.invalid_file") == "model.gguf: tensor \"b\" has type 4, which does not exist");
  CHECK(refusal("offset_not_aligned.invalid_file").find("begins at byte 193, 192 expected") != std::string::npos);
}
