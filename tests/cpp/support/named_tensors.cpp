#include "support/named_tensors.h"

#include "formats/safetensors.h"

namespace webformer::test {

void load_file(ModelLoader& loader, const std::vector<NamedTensor>& tensors, const std::string& file, bool last) {
  std::vector<SafetensorsTensor> items;
  for (const auto& [name, values] : tensors) items.push_back({{name, DType::f32, values.shape}, std::as_bytes(std::span(values.data))});
  const std::vector<std::byte> bytes = write_safetensors(items);
  const auto header = std::size_t(safetensors_header_bytes(std::span(bytes).first(8), bytes.size(), file));
  const TensorTable table = parse_safetensors_header(std::span(bytes).first(header), bytes.size(), file);
  loader.bind(table, last);
  for (const TensorInfo& info : table.tensors) {
    if (loader.wants(info.name)) loader.fill(info, std::span(bytes).subspan(std::size_t(info.begin), std::size_t(info.end - info.begin)));
  }
}

std::shared_ptr<const Model> load_model(std::string_view config, const std::vector<NamedTensor>& tensors, std::uint64_t memory_limit) {
  const JsonDocument document = JsonDocument::parse(config, "config.json");
  ModelLoader loader(document.root(), WeightPolicy::f32, memory_limit);
  load_file(loader, tensors);
  return loader.finish();
}

}  // namespace webformer::test
