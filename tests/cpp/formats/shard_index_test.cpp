#include "formats/shard_index.h"

#include <doctest/doctest.h>

#include "formats/weight_files.h"

using namespace webformer;
using namespace webformer::test;

namespace {

ShardIndex index_of(std::string_view weight_map) {
  return ShardIndex(R"({"metadata": {"total_size": 3}, "weight_map": )" + std::string(weight_map) + "}", "model.safetensors.index.json");
}

std::string refusal(std::string_view weight_map) {
  return message_of([&] { index_of(weight_map); });
}

TensorTable table_of(std::string file, std::vector<std::string> names) {
  std::vector<TensorInfo> tensors;
  for (std::uint64_t i = 0; i < names.size(); ++i) {
    tensors.push_back({.name = names[i], .dtype = DType::u8, .shape = Shape{1}, .begin = i, .end = i + 1});
  }
  return TensorTable(std::move(file), std::move(tensors), {}, 0, names.size());
}

}  // namespace

TEST_CASE("the shards of an index are listed in order, each once") {
  const ShardIndex index = index_of(R"({"c": "m-2-of-2.safetensors", "a": "m-1-of-2.safetensors", "b": "m-2-of-2.safetensors"})");
  CHECK(index.files() == std::vector<std::string>{"m-1-of-2.safetensors", "m-2-of-2.safetensors"});
}

TEST_CASE("a shard must hold what the index says, and nothing that the index puts elsewhere") {
  const ShardIndex index = index_of(R"({"a": "1.safetensors", "b": "2.safetensors"})");
  CHECK(message_of([&] { index.check(0, table_of("1.safetensors", {"a"})); }) == "no error");
  CHECK(message_of([&] { index.check(0, table_of("1.safetensors", {"a", "unlisted"})); }) == "no error");
  CHECK(message_of([&] { index.check(0, table_of("1.safetensors", {"x"})); }) ==
        "1.safetensors: tensor \"a\" is not in it, though model.safetensors.index.json says so");
  CHECK(message_of([&] { index.check(1, table_of("2.safetensors", {"a", "b"})); }) ==
        "2.safetensors: tensor \"a\" is in it, though model.safetensors.index.json says that it is in 1.safetensors");
}

TEST_CASE("an index that leads elsewhere, or is none, is refused") {
  const std::string start = "model.safetensors.index.json: ", end = ", the plain name of a .safetensors file expected";
  for (const char* name : {"../secret.safetensors", "/etc/x.safetensors", "a/b.safetensors", "a\\\\b.safetensors", "..safetensors",
                           ".safetensors", "https://example.com/x.safetensors", "%2e%2e%2fx.safetensors", "x.safetensors?y",
                           "pytorch_model.bin", "", "x.safetensors "}) {
    CAPTURE(name);
    CHECK(refusal(R"({"a": ")" + std::string(name) + "\"}") == start + "weight_map.a is \"" + name + "\"" + end);
  }
  CHECK(refusal(R"({"a": "1.safetensors", "a": "2.safetensors"})") == start + "tensor \"a\" is there twice");
  CHECK(refusal(R"({"a": 1})") == start + "weight_map.a is 1, a string expected");
  CHECK(refusal("{}") == start + "weight_map is empty, the names of tensors expected");
  CHECK(refusal("[]") == start + "weight_map is an array, an object expected");
  CHECK(message_of([] { ShardIndex("{}", "i.json"); }) == "i.json: weight_map is missing, an object expected");
  CHECK(verdict_of([] { ShardIndex("<html>", "i.json"); }) == "invalid_file");
}
