#include "formats/tensor_table.h"

#include <doctest/doctest.h>

#include "formats/weight_files.h"

using namespace webformer;
using namespace webformer::test;

namespace {

TensorInfo bytes(std::string name, std::uint64_t begin, std::uint64_t end) {
  return {.name = std::move(name), .dtype = DType::u8, .shape = Shape{std::int64_t(end - begin)}, .begin = begin, .end = end};
}

std::string refusal(std::vector<TensorInfo> tensors, std::uint64_t file_size, std::uint64_t alignment = 1) {
  return message_of([&] { TensorTable("f", std::move(tensors), {}, 8, file_size, alignment); });
}

std::string refused_shape(DType dtype, std::vector<std::int64_t> sizes) {
  return message_of([&] { checked_tensor("f", "t", dtype, sizes); });
}

}  // namespace

TEST_CASE("a table is in the order of the bytes, and finds tensors by name") {
  const TensorTable table("f", {bytes("c", 12, 20), bytes("a", 8, 10), bytes("b", 10, 12)}, {}, 8, 20);
  REQUIRE(table.tensors.size() == 3);
  CHECK(table.tensors[0].name == "a");
  CHECK(table.tensors[2].name == "c");
  CHECK(table.find("b") == &table.tensors[1]);
  CHECK(table.find("bb") == nullptr);
  CHECK(table.find("") == nullptr);
}

TEST_CASE("a tensor without data may share its place with the one that begins there") {
  CHECK(refusal({bytes("a", 8, 10), bytes("empty", 8, 8)}, 10) == "no error");
  CHECK(refusal({bytes("a", 8, 10), bytes("empty", 10, 10)}, 10) == "no error");
  CHECK(refusal({bytes("a", 8, 10), bytes("empty", 9, 9)}, 10).find("overlap") != std::string::npos);
}

TEST_CASE("between aligned tensors there is padding up to the alignment, and no more") {
  CHECK(refusal({bytes("a", 8, 10), bytes("b", 16, 17)}, 17, 8) == "no error");
  CHECK(refusal({bytes("a", 8, 10), bytes("b", 16, 17)}, 24, 8) == "no error");
  CHECK(refusal({bytes("a", 8, 10), bytes("b", 16, 17)}, 25, 8) == "f: 8 bytes after the last tensor, which ends at byte 17");
  CHECK(refusal({bytes("a", 8, 10), bytes("b", 10, 11)}, 11, 8) == "f: tensor \"b\" begins at byte 10, 16 expected");
  CHECK(refusal({bytes("a", 8, 10), bytes("b", 24, 25)}, 25, 8) == "f: tensor \"b\" begins at byte 24, 16 expected");
}

TEST_CASE("shapes are checked before anything is allocated for them") {
  const std::int64_t limit = std::int64_t(1) << 53;
  CHECK(refused_shape(DType::u8, {limit}) == "no error");
  CHECK(refused_shape(DType::u8, {2, limit}) == "f: tensor \"t\": an axis of size 9007199254740992 makes more than 2^53 numbers");
  CHECK(refused_shape(DType::u8, {limit, limit, 0}) == "f: tensor \"t\": an axis of size 9007199254740992 makes more than 2^53 numbers");
  CHECK(refused_shape(DType::u8, {0, limit, limit}) == "no error");
  CHECK(refused_shape(DType::u8, {2, -1}) == "f: tensor \"t\": an axis of size -1, 0 or more expected");
  CHECK(refused_shape(DType::q4_0, {32, 16}) == "f: tensor \"t\": rows of 16 numbers, blocks of 32 expected for Q4_0");
  CHECK(checked_tensor("f", "t", DType::q4_0, std::vector<std::int64_t>{3, 64}).end == 3 * 2 * 18);
  CHECK(checked_tensor("f", "t", DType::f64, std::vector<std::int64_t>{}).end == 8);
}
