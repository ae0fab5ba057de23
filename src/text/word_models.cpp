#include "text/word_models.h"

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "text/archive.h"

namespace webformer {
namespace {

std::int32_t find_unknown(const Vocabulary& vocabulary, const std::string& token, std::string_view source) {
  const auto id = vocabulary.find(token);
  if (!id && !token.empty()) throw Error(Code::invalid_file, "{}: model.unk_token \"{}\" is not in the vocabulary", source, token);
  return id.value_or(-1);
}

/// A trie of the tokens that begin with `prefix`, without it.
DoubleArray pieces_with_prefix(const Vocabulary& vocabulary, std::string_view prefix) {
  std::vector<std::pair<std::string_view, std::uint32_t>> keys;
  for (std::int32_t id = 0; id < vocabulary.end(); ++id) {
    const std::string_view token = vocabulary.token(id);
    if (!token.starts_with(prefix) || token.size() == prefix.size() || token.find('\0') != std::string_view::npos) continue;
    if (vocabulary.find(token) == id) keys.emplace_back(token.substr(prefix.size()), std::uint32_t(id));
  }
  std::ranges::sort(keys);
  return DoubleArray::build(keys);
}

}  // namespace

WordLevelModel::WordLevelModel(const WordLevelSpec& spec, std::string_view source)
    : vocabulary_(spec.vocabulary, source),
      unknown_token_(spec.unknown_token),
      unknown_id_(find_unknown(vocabulary_, unknown_token_, source)) {}

void WordLevelModel::tokenize(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const {
  const std::int32_t id = vocabulary_.find(word).value_or(unknown_id_);
  if (id >= 0 && !word.empty()) tokens.push_back({id, begin, begin + std::uint32_t(word.size())});
}

WordPieceModel::WordPieceModel(const WordPieceSpec& spec, std::string_view source)
    : vocabulary_(spec.vocabulary, source),
      unknown_token_(spec.unknown_token),
      continuing_prefix_(spec.continuing_prefix),
      unknown_id_(find_unknown(vocabulary_, unknown_token_, source)),
      max_characters_(spec.max_characters),
      first_pieces_(pieces_with_prefix(vocabulary_, "")),
      later_pieces_(pieces_with_prefix(vocabulary_, continuing_prefix_)) {}

void WordPieceModel::tokenize(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const {
  const std::size_t first = tokens.size();
  bool is_known = word.size() <= max_characters_ || count_code_points(word) <= max_characters_;
  for (std::size_t at = 0; at < word.size() && is_known;) {
    auto cursor = (at == 0 ? first_pieces_ : later_pieces_).begin();
    std::size_t end = at;
    std::uint32_t id = 0;
    for (std::size_t i = at; i < word.size() && cursor.advance(word[i]); ++i) {
      if (!cursor.is_key()) continue;
      end = i + 1;
      id = cursor.value();
    }
    is_known = end > at;
    tokens.push_back({std::int32_t(id), begin + std::uint32_t(at), begin + std::uint32_t(end)});
    at = end;
  }
  if (is_known) return;
  tokens.resize(first);
  if (unknown_id_ >= 0) tokens.push_back({unknown_id_, begin, begin + std::uint32_t(word.size())});
}

}  // namespace webformer
