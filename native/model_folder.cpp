#include "native/model_folder.h"

#include <array>
#include <fstream>
#include <map>

#include "formats/shard_index.h"
#include "formats/tensor_stream.h"
#include "formats/tokenizer_files.h"
#include "model/adapter.h"
#include "model/model_writer.h"
#include "native/files.h"

namespace webformer {

namespace {

namespace fs = std::filesystem;

constexpr const char* config_name = "config.json";
constexpr const char* weights_name = "model.safetensors";
constexpr const char* index_name = "model.safetensors.index.json";

/// Those of a tokenizer beside tokenizer.json, which are kept as they are.
constexpr std::array companions{"tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja", "generation_config.json"};
/// Marian's tokenizer has no tokenizer.json: two SentencePiece models and a vocabulary, or two.
constexpr std::array marian_files{"source.spm", "target.spm", "vocab.json", "target_vocab.json"};

void read_weights(const fs::path& path, ModelLoader& loader, bool last) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Code::invalid_file, "{}: cannot be opened", path.string());
  TensorStream stream(path.filename().string(), fs::file_size(path),
                      {.table = [&](const TensorTable& table) { loader.bind(table, last); },
                       .wants = [&](const TensorInfo& tensor) { return loader.wants(tensor.name); },
                       .tensor = [&](const TensorInfo& tensor, std::span<const std::byte> bytes) { loader.fill(tensor, bytes); }});
  std::vector<std::byte> piece(std::size_t{1} << 22);
  while (file.read(reinterpret_cast<char*>(piece.data()), std::streamsize(piece.size())), file.gcount() > 0)
    stream.push(std::span(piece).first(std::size_t(file.gcount())));
  stream.finish();
}

void read_all_weights(const fs::path& folder, ModelLoader& loader) {
  if (fs::exists(folder / weights_name)) return read_weights(folder / weights_name, loader, true);
  const ShardIndex index(read_text(folder / index_name), index_name);
  for (std::size_t i = 0; i < index.files().size(); ++i) read_weights(folder / index.files()[i], loader, i + 1 == index.files().size());
}

bool may_be_tokenizer(const fs::path& name) {
  const std::string extension = name.extension().string();
  return extension == ".json" || extension == ".txt" || extension == ".model" || extension == ".spm" || extension == ".jinja";
}

void read_tokenizers(const fs::path& folder, LoadedModel& loaded) {
  constexpr std::array needed{"tokenizer.json", "vocab.txt", "vocab.json", ".model", ".spm"};
  std::map<std::string, std::string> texts;
  bool complete = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !may_be_tokenizer(name) || name == config_name || name == index_name) continue;
    texts[name] = read_text(entry.path());
    for (const std::string_view end : needed) complete |= name.ends_with(end);
  }
  if (!complete) return;
  const std::map<std::string, std::string_view> files(texts.begin(), texts.end());
  loaded.source = std::make_shared<const Tokenizer>(Tokenizer::compile(read_tokenizer(files)));
  loaded.target = files.contains("target.spm") ? std::make_shared<const Tokenizer>(Tokenizer::compile(read_target_tokenizer(files)))
                                               : loaded.source;
}

/// config.json's own text but for the type of the weights: written anew, 1.0 would become 1.
std::string with_type(std::string config, DType dtype) {
  const std::string type = dtype == DType::f16 ? "float16" : "float32";
  for (const std::string_view key : {"\"torch_dtype\"", "\"dtype\""}) {
    const std::size_t at = config.find(key);
    if (at == std::string::npos) continue;
    const std::size_t begin = config.find('"', config.find(':', at)), end = config.find('"', begin + 1);
    if (end != std::string::npos) config.replace(begin + 1, end - begin - 1, type);
  }
  return config;
}

void keep_file(const fs::path& folder, const fs::path& origin, const char* name) {
  if (!fs::exists(origin / name) || fs::equivalent(origin, folder)) return;
  replace_file(folder / name, read_text(origin / name));
}

}  // namespace

LoadedModel load_folder(const fs::path& folder, const LoadSettings& settings) {
  LoadedModel loaded{.config = read_text(folder / config_name)};
  if (settings.head) loaded.config = with_new_head(JsonDocument::parse(loaded.config, config_name).root(), *settings.head);
  const JsonDocument config = JsonDocument::parse(loaded.config, config_name);
  ModelLoader loader(config.root(), settings.policy);
  if (settings.head) loader.renew_head(settings.seed);
  if (settings.fresh) loader.randomize(settings.seed);
  else read_all_weights(folder, loader);
  loaded.model = loader.finish();
  loaded.layout = loader.layout();
  read_tokenizers(folder, loaded);
  return loaded;
}

void save_folder(const fs::path& folder, const fs::path& origin, const LoadedModel& loaded, DType dtype) {
  fs::create_directories(folder);
  const std::string config = with_type(loaded.config, dtype);
  for (const char* name : companions) keep_file(folder, origin, name);
  if (loaded.source != loaded.target) {
    for (const char* name : marian_files) keep_file(folder, origin, name);
  } else if (loaded.source) {
    replace_file(folder / "tokenizer.json", write_tokenizer_json(loaded.source->spec()));
  }
  replace_file(folder / weights_name, [&](const auto& put) {
    ModelWriter writer(loaded.layout, dtype, loaded.model->adapter);
    const std::string header = writer.header();
    put(std::as_bytes(std::span(header)));
    while (!writer.done()) put(writer.next());
  });
  replace_file(folder / config_name, config);
}

void save_adapter_folder(const fs::path& folder, const LoadedModel& loaded) {
  fs::create_directories(folder);
  replace_file(folder / "adapter_model.safetensors", write_adapter(*loaded.model, *loaded.layout));
  replace_file(folder / "adapter_config.json", adapter_config_json(*loaded.model, *loaded.layout));
}

}  // namespace webformer
