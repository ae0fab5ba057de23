#include "formats/vocab_files.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/json.h"
#include "formats/tokenizer_json.h"

namespace webformer {
namespace {

using Ids = std::unordered_map<std::string_view, std::int32_t>;

Ids ids_of(const VocabularySpec& vocabulary) {
  Ids ids;
  for (std::size_t i = 0; i < vocabulary.ids.size(); ++i) ids[vocabulary.tokens[i]] = vocabulary.ids[i];
  return ids;
}

/// Lines without their ends; the last one may lack it.
template <class Each>
void each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The names that the config leaves open, where the vocabulary has the token that the class is known for.
void name_by_default(std::string& name, std::string_view otherwise, const Ids& ids) {
  if (name.empty() && ids.contains(otherwise)) name = otherwise;
}

void add_special(TokenizerSpec& spec, const std::string& token, const Ids& ids, bool normalized, bool lstrip = false) {
  const auto id = ids.find(token);
  const bool is_known = std::ranges::any_of(spec.added_tokens, [&](const AddedTokenSpec& other) { return other.content == token; });
  if (token.empty() || id == ids.end() || is_known) return;
  spec.added_tokens.push_back({{token, true, lstrip, false, false, normalized}, id->second});
}

/// `otherwise` is what the class is known for, where no name is said.
TokenAndId required(const std::string& name, std::string_view otherwise, const Ids& ids, std::string_view file, std::string_view role) {
  const std::string token = name.empty() ? std::string(otherwise) : name;
  const auto id = ids.find(token);
  if (id == ids.end()) throw Error(Code::invalid_file, "{}: no token \"{}\", the tokenizer's {}", file, token, role);
  return {token, id->second};
}

/// [CLS] A [SEP] B [SEP]
TemplateProcessing surrounded(const TokenAndId& before, const TokenAndId& after, std::int32_t second_type) {
  using Kind = TemplatePiece::Kind;
  const auto token = [](const TokenAndId& it) { return TemplateToken{it.token, {it.id}, {it.token}}; };
  TemplateProcessing result;
  result.special_tokens = {token(before), token(after)};
  result.single = {{Kind::special, 0, 0}, {Kind::first, 0, 0}, {Kind::special, 0, 1}};
  result.pair = result.single;
  result.pair.push_back({Kind::second, second_type, 0});
  result.pair.push_back({Kind::special, second_type, 1});
  return result;
}

void read_merges(std::string_view text, StringPool& merges) {
  if (repair_utf8(text)) throw Error(Code::invalid_file, "merges.txt: the text is not UTF-8");
  std::size_t number = 0;
  each_line(text, [&](std::string_view line) {
    ++number;
    if (line.starts_with("#version") || line.empty()) return;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == line.size() || line.find(' ', space + 1) != std::string_view::npos) {
      throw Error(Code::invalid_file, "merges.txt: line {} is \"{}\", two tokens with a space between them expected", number, line);
    }
    merges.push_back(line.substr(0, space));
    merges.push_back(line.substr(space + 1));
  });
}

void finish_gpt2(TokenizerSpec& spec, const Ids& ids, const TokenizerConfig& config) {
  const bool prefix_space = config.add_prefix_space.value_or(false);
  name_by_default(spec.names.bos, "<|endoftext|>", ids);
  name_by_default(spec.names.eos, "<|endoftext|>", ids);
  name_by_default(spec.names.unk, "<|endoftext|>", ids);
  spec.pre_tokenizers = {ByteLevelPreTokenizer{prefix_space, true}};
  spec.post_processors = {ByteLevelProcessing{false, prefix_space}};
  for (const std::string& name : {spec.names.bos, spec.names.eos, spec.names.unk, spec.names.pad}) add_special(spec, name, ids, true);
}

void finish_roberta(TokenizerSpec& spec, const Ids& ids, const TokenizerConfig& config) {
  const bool prefix_space = config.add_prefix_space.value_or(false);
  SpecialTokenNames& names = spec.names;
  name_by_default(names.bos, "<s>", ids);
  name_by_default(names.eos, "</s>", ids);
  name_by_default(names.sep, "</s>", ids);
  name_by_default(names.cls, "<s>", ids);
  name_by_default(names.unk, "<unk>", ids);
  name_by_default(names.pad, "<pad>", ids);
  name_by_default(names.mask, "<mask>", ids);
  spec.pre_tokenizers = {ByteLevelPreTokenizer{prefix_space, true}};
  spec.post_processors = {RobertaProcessing{required(names.sep, "</s>", ids, spec.source, "separator"),
                                            required(names.cls, "<s>", ids, spec.source, "classifier"), true, prefix_space}};
  for (const std::string& name : {names.bos, names.pad, names.eos, names.unk}) add_special(spec, name, ids, true);
  add_special(spec, names.mask, ids, true, true);
}

void finish_clip(TokenizerSpec& spec, const Ids& ids) {
  SpecialTokenNames& names = spec.names;
  name_by_default(names.bos, "<|startoftext|>", ids);
  name_by_default(names.eos, "<|endoftext|>", ids);
  name_by_default(names.unk, "<|endoftext|>", ids);
  name_by_default(names.pad, "<|endoftext|>", ids);
  auto& model = std::get<BpeSpec>(spec.model);
  model.word_suffix = "</w>";
  model.unknown_token = names.unk;
  spec.normalizers = {NormalForm{NormalForm::Kind::nfc}, Replace{{"\\s+", true}, " "}, Lowercase()};
  spec.pre_tokenizers = {
      SplitPreTokenizer{{R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)", true}, SplitBehavior::removed, true},
      ByteLevelPreTokenizer{false, true}};
  spec.post_processors = {RobertaProcessing{required(names.eos, "<|endoftext|>", ids, spec.source, "end token"),
                                            required(names.bos, "<|startoftext|>", ids, spec.source, "begin token"), false, false}};
  spec.decoders = {ByteLevelDecoder()};
  add_special(spec, names.bos, ids, true);
  add_special(spec, names.eos, ids, false);
}

}  // namespace

TokenizerSpec read_wordpiece_files(std::string_view vocabulary, const TokenizerConfig& config) {
  if (repair_utf8(vocabulary)) throw Error(Code::invalid_file, "vocab.txt: the text is not UTF-8");
  TokenizerSpec spec;
  spec.source = "vocab.txt";
  spec.names = config.names;
  WordPieceSpec model;
  each_line(vocabulary, [&](std::string_view line) {
    model.vocabulary.ids.push_back(std::int32_t(model.vocabulary.ids.size()));
    model.vocabulary.tokens.push_back(line);
  });
  const Ids ids = ids_of(model.vocabulary);
  SpecialTokenNames& names = spec.names;
  const bool is_mpnet = config.tokenizer_class == "MPNetTokenizer";
  name_by_default(names.unk, "[UNK]", ids);
  name_by_default(names.sep, is_mpnet ? "</s>" : "[SEP]", ids);
  name_by_default(names.pad, is_mpnet ? "<pad>" : "[PAD]", ids);
  name_by_default(names.cls, is_mpnet ? "<s>" : "[CLS]", ids);
  name_by_default(names.mask, is_mpnet ? "<mask>" : "[MASK]", ids);
  model.unknown_token = names.unk.empty() ? "[UNK]" : names.unk;
  spec.normalizers = {
      BertNormalizer{true, config.tokenize_chinese_chars.value_or(true), config.strip_accents, config.do_lower_case.value_or(true)}};
  spec.pre_tokenizers = {BertPreTokenizer()};
  spec.decoders = {WordPieceDecoder()};
  const TokenAndId sep = required(names.sep, is_mpnet ? "</s>" : "[SEP]", ids, spec.source, "separator");
  const TokenAndId cls = required(names.cls, is_mpnet ? "<s>" : "[CLS]", ids, spec.source, "classifier");
  if (is_mpnet) spec.post_processors = {RobertaProcessing{sep, cls, true, false}};
  else spec.post_processors = {surrounded(cls, sep, 1)};
  for (const std::string& name : {names.pad, names.unk, names.cls, names.sep}) add_special(spec, name, ids, false);
  add_special(spec, names.mask, ids, false, is_mpnet);
  spec.model = std::move(model);
  return spec;
}

TokenizerSpec read_bpe_files(std::string_view vocabulary, std::string_view merges, const TokenizerConfig& config) {
  TokenizerSpec spec;
  spec.source = "vocab.json";
  spec.names = config.names;
  spec.decoders = {ByteLevelDecoder()};
  BpeSpec model;
  model.vocabulary = read_vocabulary(JsonDocument::parse(vocabulary, "vocab.json").root());
  read_merges(merges, model.merges);
  spec.model = std::move(model);
  const Ids ids = ids_of(std::get<BpeSpec>(spec.model).vocabulary);
  constexpr std::string_view like_roberta[]{"RobertaTokenizer",    "BartTokenizer",    "LongformerTokenizer", "LEDTokenizer",
                                            "BlenderbotTokenizer", "DebertaTokenizer", "MvpTokenizer"};
  if (config.tokenizer_class == "CLIPTokenizer") finish_clip(spec, ids);
  else if (std::ranges::find(like_roberta, config.tokenizer_class) != std::end(like_roberta)) finish_roberta(spec, ids, config);
  else finish_gpt2(spec, ids, config);
  return spec;
}

}  // namespace webformer
