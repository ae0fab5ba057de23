#include "formats/sentencepiece_vocabulary.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/json.h"
#include "formats/tokenizer_json.h"

namespace webformer {

namespace {

using Type = SentencePieceSpec::Type;
using Indices = std::unordered_map<std::string_view, std::size_t>;

constexpr std::string_view file = "vocab.json";

/// The tokens by id, without gaps.
std::vector<std::string_view> by_id(const VocabularySpec& vocabulary) {
  std::vector<std::string_view> tokens(vocabulary.tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto id = std::size_t(vocabulary.ids[i]);
    if (vocabulary.ids[i] < 0 || id >= tokens.size() || !tokens[id].empty()) {
      throw Error(Code::invalid_file, "{}: token \"{}\" has the id {}, 0 to {} expected, each once", file, vocabulary.tokens[i],
                  vocabulary.ids[i], tokens.size() - 1);
    }
    tokens[id] = vocabulary.tokens[i];
  }
  return tokens;
}

SentencePieceSpec numbered(const SentencePieceSpec& model, const std::vector<std::string_view>& tokens) {
  Indices pieces;
  float least = 0;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    pieces.emplace(model.pieces[i], i);
    least = std::min(least, model.scores[i]);
  }
  SentencePieceSpec result;
  result.algorithm = model.algorithm;
  result.byte_fallback = model.byte_fallback;
  std::vector<bool> has_id(model.pieces.size());
  // Merges would go through an unused piece, but not through a control piece.
  const Type foreign = model.algorithm == SentencePieceSpec::Algorithm::unigram ? Type::unused : Type::control;
  for (const std::string_view token : tokens) {
    const auto piece = pieces.find(token);
    const bool is_known = piece != pieces.end();
    result.pieces.push_back(token);
    result.scores.push_back(is_known ? model.scores[piece->second] : least - 100);
    result.types.push_back(is_known ? model.types[piece->second] : foreign);
    if (is_known) has_id[piece->second] = true;
  }
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    if (has_id[i] || model.types[i] == Type::control || model.types[i] == Type::unused) continue;
    if (model.types[i] == Type::unknown || model.types[i] == Type::byte)
      throw Error(Code::invalid_file, "{}: no id for \"{}\", which the SentencePiece model needs", file, model.pieces[i]);
    result.unnumbered.push_back(model.pieces[i]);
    result.scores.push_back(model.scores[i]);
    result.types.push_back(model.types[i]);
  }
  return result;
}

/// The class's own special tokens; languages that have no id yet come after all others, in their order (M2M100).
void add_special_tokens(TokenizerSpec& spec, const Indices& ids, const TokenizerConfig& config) {
  const std::pair<std::string*, std::string_view> members[]{
      {&spec.names.bos, "<s>"}, {&spec.names.eos, "</s>"}, {&spec.names.unk, "<unk>"}, {&spec.names.pad, "<pad>"}};
  const auto add = [&](std::string_view token, std::size_t id, bool special) {
    const auto is_it = [&](const AddedTokenSpec& other) { return other.content == token; };
    if (std::ranges::any_of(config.added_tokens, is_it) || std::ranges::any_of(spec.added_tokens, is_it)) return;
    spec.added_tokens.push_back({{std::string(token), special, false, false, false, false}, std::int32_t(id)});
  };
  for (const auto& [name, otherwise] : members) {
    if (!ids.contains(*name)) *name = ids.contains(otherwise) ? otherwise : "";
    if (!name->empty()) add(*name, ids.at(*name), true);
  }
  for (const auto& [token, id] : ids) {
    if (token.starts_with(">>") && token.ends_with("<<")) add(token, id, false);  // Marian's target languages
  }
  std::size_t next = ids.size();
  for (const AddedTokenSpec& token : config.added_tokens) next = std::max(next, std::size_t(token.id) + 1);
  for (const std::string& token : config.names.additional) {
    const bool is_known = std::ranges::any_of(config.added_tokens, [&](const AddedTokenSpec& other) { return other.content == token; });
    if (!is_known && !ids.contains(token)) add(token, next++, true);
  }
}

/// Marian: A B </s>. M2M100: __en__ A B </s>, of the language that a text is in where nobody says.
TemplateProcessing surroundings(const TokenizerSpec& spec, const Indices& ids, const TokenizerConfig& config) {
  using Kind = TemplatePiece::Kind;
  TemplateProcessing result;
  const auto special = [&](const std::string& token, std::int32_t id) {
    result.special_tokens.push_back({token, {id}, {token}});
    return TemplatePiece{Kind::special, 0, std::uint32_t(result.special_tokens.size() - 1)};
  };
  if (config.tokenizer_class.starts_with("M2M100")) {
    const std::string language = "__" + (config.source_language.empty() ? "en" : config.source_language) + "__";
    for (const auto* list : {&config.added_tokens, &spec.added_tokens}) {
      const auto token = std::ranges::find(*list, language, &AddedTokenSpec::content);
      if (token != list->end() && result.single.empty()) result.single.push_back(special(language, token->id));
    }
  }
  result.single.push_back({Kind::first, 0, 0});
  result.pair = result.single;
  result.pair.push_back({Kind::second, 0, 0});
  if (const auto id = ids.find(spec.names.eos); id != ids.end()) {
    const TemplatePiece end = special(spec.names.eos, std::int32_t(id->second));
    result.single.push_back(end);
    result.pair.push_back(end);
  }
  return result;
}

}  // namespace

void number_pieces(TokenizerSpec& spec, std::string_view vocabulary, const TokenizerConfig& config) {
  const VocabularySpec entries = read_vocabulary(JsonDocument::parse(vocabulary, std::string(file)).root());
  const std::vector<std::string_view> tokens = by_id(entries);
  Indices ids;
  for (std::size_t id = 0; id < tokens.size(); ++id) ids.emplace(tokens[id], id);
  spec.model = numbered(std::get<SentencePieceSpec>(spec.model), tokens);
  add_special_tokens(spec, ids, config);
  spec.post_processors = {surroundings(spec, ids, config)};
}

}  // namespace webformer
