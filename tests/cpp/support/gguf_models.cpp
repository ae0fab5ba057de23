#include "support/gguf_models.h"

#include <optional>

#include "formats/weight_files.h"

namespace webformer::test {

namespace {

std::vector<std::byte> bytes_of_model(const std::string& name) { return read_file("tests/fixtures/gguf/" + name + ".gguf"); }

}  // namespace

GgufModel read_gguf_model(const std::string& name) {
  StreamedFile file = stream_file(bytes_of_model(name), 1 << 20, name + ".gguf");
  GgufModel model;
  for (const TensorInfo& info : file.table().tensors) {
    Array values(info.shape);
    to_floats(info.dtype, file.tensors.at(info.name), values.data.data());
    model.tensors.push_back({info.name, std::move(values)});
  }
  std::vector<Metadata::Entry> entries(file.table().metadata.entries().begin(), file.table().metadata.entries().end());
  model.metadata = Metadata(std::move(entries), name);
  return model;
}

std::shared_ptr<const Model> GgufModel::load(const std::vector<NamedTensor>& some) const {
  ModelLoader loader(metadata, WeightPolicy::f32);
  load_file(loader, some);
  return loader.finish();
}

std::shared_ptr<const Model> load_gguf_model(const std::string& name) {
  const std::vector<std::byte> file = bytes_of_model(name);
  std::optional<ModelLoader> loader;
  TensorSink sink;
  sink.table = [&](const TensorTable& table) {
    loader.emplace(table.metadata, WeightPolicy::f32);
    loader->bind(table, true);
  };
  sink.wants = [&](const TensorInfo& tensor) { return loader->wants(tensor.name); };
  sink.tensor = [&](const TensorInfo& tensor, std::span<const std::byte> bytes) { loader->fill(tensor, bytes); };
  TensorStream stream(name + ".gguf", file.size(), sink);
  stream.push(file);
  stream.finish();
  return loader->finish();
}

}  // namespace webformer::test
