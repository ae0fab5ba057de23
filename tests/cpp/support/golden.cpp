#include "support/golden.h"

#ifdef WEBFORMER_SHARED_DIR

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "formats/dequantize.h"
#include "formats/safetensors.h"
#include "formats/tokenizer_files.h"
#include "model/loader.h"

namespace webformer::golden {

namespace {

std::filesystem::path full(const std::string& path) { return std::filesystem::path(WEBFORMER_SHARED_DIR) / path; }

std::string read(const std::string& path) {
  std::ifstream file(full(path), std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + full(path).string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Calls use(tensor, its bytes) for every tensor of a file, after table(all).
template <class Table, class Use>
void for_each_tensor(const std::string& path, Table table, Use use) {
  const std::string text = read(path);
  const auto bytes = std::as_bytes(std::span(text));
  const std::uint64_t header = safetensors_header_bytes(bytes.first(std::min<std::size_t>(8, bytes.size())), bytes.size(), path);
  const TensorTable all = parse_safetensors_header(bytes.first(header), bytes.size(), path);
  table(all);
  for (const TensorInfo& tensor : all.tensors) use(tensor, bytes.subspan(tensor.begin, tensor.end - tensor.begin));
}

}  // namespace

JsonDocument read_json(const std::string& path) { return JsonDocument::parse(read(path), path); }

bool exists(const std::string& path) { return std::filesystem::exists(full(path)); }

std::map<std::string, Tensor> read_safetensors(const std::string& path) {
  std::map<std::string, Tensor> result;
  for_each_tensor(
      path, [](const TensorTable&) {},
      [&](const TensorInfo& info, std::span<const std::byte> bytes) {
        const auto count = std::size_t(info.shape.size());
        Tensor& tensor = result[info.name];
        tensor.shape = info.shape;
        if (is_float(info.dtype)) {
          std::vector<float> numbers(count);
          to_floats(info.dtype, bytes, numbers.data());
          tensor.data.assign(numbers.begin(), numbers.end());
        } else {
          std::vector<std::int64_t> numbers(count);
          to_integers(info.dtype, bytes, numbers.data());
          tensor.data.assign(numbers.begin(), numbers.end());
        }
      });
  return result;
}

std::shared_ptr<const Model> load_model(const std::string& folder) {
  const JsonDocument config = read_json(folder + "/config.json");
  ModelLoader loader(config.root(), WeightPolicy::f32);
  for_each_tensor(
      folder + "/model.safetensors", [&](const TensorTable& table) { loader.bind(table, true); },
      [&](const TensorInfo& tensor, std::span<const std::byte> bytes) {
        if (loader.wants(tensor.name)) loader.fill(tensor, bytes);
      });
  return loader.finish();
}

Tokenizer load_tokenizer(const std::string& folder) {
  const std::string tokenizer = read(folder + "/tokenizer.json"), config = read(folder + "/tokenizer_config.json");
  return Tokenizer::compile(read_tokenizer({{"tokenizer.json", tokenizer}, {"tokenizer_config.json", config}}));
}

}  // namespace webformer::golden

#endif
