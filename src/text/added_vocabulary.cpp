#include "text/added_vocabulary.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/unicode.h"

namespace webformer {
namespace {

/// \w as Rust's regular expressions have it: Oniguruma's without six superscripts and fractions, and with the joiners.
bool is_word_character(char32_t c) {
  const bool only_in_oniguruma = c == 0xb2 || c == 0xb3 || c == 0xb9 || (c >= 0xbc && c <= 0xbe);
  return c == 0x200c || c == 0x200d || (!only_in_oniguruma && contains(CharSet::regex_word, c));
}

bool word_before(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  std::size_t previous = previous_code_point(text, at);
  return is_word_character(next_code_point(text, previous));
}

bool word_after(std::string_view text, std::size_t at) { return at < text.size() && is_word_character(next_code_point(text, at)); }

std::size_t skip_spaces_back(std::string_view text, std::size_t at) {
  while (at > 0) {
    const std::size_t previous = previous_code_point(text, at);
    std::size_t next = previous;
    if (!is_white_space(next_code_point(text, next))) break;
    at = previous;
  }
  return at;
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!is_white_space(next_code_point(text, next))) break;
    at = next;
  }
  return at;
}

bool same(const AddedToken& a, const AddedToken& b) {
  return a.content == b.content && a.special == b.special && a.lstrip == b.lstrip && a.rstrip == b.rstrip &&
         a.single_word == b.single_word && a.normalized == b.normalized;
}

}  // namespace

TokenFinder::TokenFinder(std::vector<std::pair<std::string, std::uint32_t>> contents) {
  std::map<std::string, std::uint32_t> sorted;
  for (auto& [content, token] : contents) {
    if (content.empty() || content.find('\0') != std::string::npos) continue;
    first_bytes_.set(static_cast<unsigned char>(content[0]));
    sorted[std::move(content)] = token;
  }
  const std::vector<std::pair<std::string_view, std::uint32_t>> keys(sorted.begin(), sorted.end());
  if (!keys.empty()) trie_ = DoubleArray::build(keys);
}

void TokenFinder::find_all(std::string_view text, std::span<const AddedTokenSpec> tokens, std::vector<Match>& matches) const {
  std::size_t taken = 0;  // the end of the match before, with its white space
  for (std::size_t at = 0; at < text.size();) {
    if (!first_bytes_[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    auto cursor = trie_.begin();
    std::size_t end = at;
    std::uint32_t found = 0;
    for (std::size_t i = at; i < text.size() && cursor.advance(text[i]); ++i) {
      if (!cursor.is_key()) continue;
      end = i + 1;
      found = cursor.value();
    }
    if (end == at) {
      ++at;
      continue;
    }
    const AddedTokenSpec& token = tokens[found];
    if (!token.single_word || (!word_before(text, at) && !word_after(text, end))) {
      const std::size_t from = token.lstrip ? std::max(skip_spaces_back(text, at), taken) : at;
      taken = token.rstrip ? skip_spaces(text, end) : end;
      if (from < taken) matches.push_back({from, taken, found});  // else it is white space that another token took
    }
    at = end;
  }
}

AddedVocabulary::AddedVocabulary(std::vector<AddedTokenSpec> given, const NormalizerChain& normalizers, const Vocabulary& model,
                                 std::string_view source) {
  std::vector<std::pair<std::string, std::uint32_t>> raw_contents, normalized_contents;
  for (AddedTokenSpec& token : given) {
    const auto known = by_content.find(token.content);
    const auto index = std::uint32_t(known == by_content.end() ? tokens.size() : known->second);
    const auto in_model = model.find(token.content);
    if (in_model) token.id = *in_model;
    const auto holder = by_id.find(token.id);
    if (token.id < 0 || (holder != by_id.end() && holder->second != index)) {
      throw Error(Code::invalid_file, "{}: the added token \"{}\" has the id {}, {}", source, token.content, token.id,
                  token.id < 0 ? "0 and more expected" : "which \"" + tokens[holder->second].content + "\" has");
    }
    if (known == by_content.end()) {
      by_content.emplace(token.content, index);
      tokens.push_back(std::move(token));
    } else {
      by_id.erase(tokens[index].id);
      tokens[index] = std::move(token);
    }
    by_id.emplace(tokens[index].id, index);
    if (!in_model && !model.has(tokens[index].id)) ++new_count;
  }
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    AlignedText content{tokens[i].content, {}, 0};
    if (tokens[i].normalized) normalizers.apply(content);
    decoded.push_back(content.text);
    (tokens[i].normalized ? normalized_contents : raw_contents).emplace_back(std::move(content.text), i);
  }
  raw = TokenFinder(std::move(raw_contents));
  normalized = TokenFinder(std::move(normalized_contents));
}

AddedVocabulary AddedVocabulary::with(std::span<const AddedToken> more, const NormalizerChain& normalizers, const Vocabulary& model,
                                      std::size_t& added) const {
  std::vector<AddedTokenSpec> all = tokens;
  std::unordered_map<std::string, std::uint32_t> places = by_content;
  std::int32_t next = model.end();
  for (const AddedTokenSpec& token : all) next = std::max(next, token.id + 1);
  added = 0;
  for (const AddedToken& token : more) {
    if (token.content.empty()) continue;
    const auto [known, is_new] = places.emplace(token.content, std::uint32_t(all.size()));
    if (!is_new) {
      if (same(all[known->second], token)) continue;
      static_cast<AddedToken&>(all[known->second]) = token;
    } else {
      const auto in_model = model.find(token.content);
      all.push_back({token, in_model ? *in_model : next++});
    }
    ++added;
  }
  return AddedVocabulary(std::move(all), normalizers, model, "added tokens");
}

const AddedTokenSpec* AddedVocabulary::find(std::int32_t id) const noexcept {
  const auto found = by_id.find(id);
  return found == by_id.end() ? nullptr : &tokens[found->second];
}

bool AddedVocabulary::is_special(std::int32_t id) const noexcept {
  const AddedTokenSpec* token = find(id);
  return token && token->special;
}

}  // namespace webformer
