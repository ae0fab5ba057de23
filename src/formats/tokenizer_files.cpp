#include "formats/tokenizer_files.h"

#include <optional>
#include <span>

#include "core/error.h"
#include "formats/gguf.h"
#include "formats/gguf_tokenizer.h"
#include "formats/sentencepiece_file.h"
#include "formats/sentencepiece_vocabulary.h"
#include "formats/tokenizer_config.h"
#include "formats/tokenizer_json.h"
#include "formats/vocab_files.h"

namespace webformer {
namespace {

using Files = std::map<std::string, std::string_view>;

std::optional<std::string_view> find(const Files& files, const char* name) {
  const auto file = files.find(name);
  return file == files.end() ? std::nullopt : std::optional(file->second);
}

/// The first file, in the order of names, that ends so.
Files::const_iterator find_ending(const Files& files, std::string_view ending) {
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (file->first.ends_with(ending)) return file;
  }
  return files.end();
}

TokenizerSpec read_vocabulary_files(const Files& files, const TokenizerConfig& config) {
  if (const auto text = find(files, "tokenizer.json")) return read_tokenizer_json(*text, "tokenizer.json");
  if (const auto text = find(files, "vocab.txt")) return read_wordpiece_files(*text, config);
  const auto vocabulary = find(files, "vocab.json"), merges = find(files, "merges.txt");
  if (vocabulary && merges) return read_bpe_files(*vocabulary, *merges, config);
  for (const std::string_view ending : {".model", ".spm"}) {
    const auto file = find_ending(files, ending);
    if (file == files.end()) continue;
    TokenizerSpec spec = read_sentencepiece_file(file->second, file->first);
    if (vocabulary) number_pieces(spec, *vocabulary, config);
    return spec;
  }
  if (const auto file = find_ending(files, ".gguf"); file != files.end()) {
    const auto table = parse_gguf_header(std::as_bytes(std::span(file->second)), file->second.size(), file->first);
    if (!table) throw Error(Code::invalid_file, "{}: the file ends within its header", file->first);
    return read_gguf_tokenizer(table->metadata, file->first);
  }
  throw Error(Code::invalid_file,
              "no tokenizer among the {} files: tokenizer.json, vocab.txt, vocab.json with merges.txt, a SentencePiece model (*.model, "
              "*.spm), or *.gguf expected",
              files.size());
}

}  // namespace

TokenizerSpec read_tokenizer(const Files& files) {
  const TokenizerConfig config = read_tokenizer_config(files);
  TokenizerSpec spec = read_vocabulary_files(files, config);
  if (!files.contains(spec.source) || !spec.source.ends_with(".gguf")) apply_tokenizer_config(config, spec);
  return spec;
}

TokenizerSpec read_target_tokenizer(const Files& files) {
  Files target = files;
  if (const auto file = target.find("target.spm"); file != target.end()) {
    target["source.spm"] = file->second;
    target.erase("target.spm");
  }
  if (const auto file = target.find("target_vocab.json"); file != target.end()) target["vocab.json"] = file->second;
  return read_tokenizer(target);
}

}  // namespace webformer
