#pragma once
// What words became before. Language repeats itself: nine words of ten are found here.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "text/hash.h"
#include "text/model_token.h"

namespace webformer {

class WordCache {
 public:
  static constexpr std::size_t max_word = 64;  ///< bytes; longer words are rarely seen again

  /// Appends the tokens of `word`, moved on by `begin`; false where it is not known.
  bool find(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const {
    if (slots_.empty()) return false;
    const std::uint64_t hash = hash_text(word);
    const Slot& slot = slots_[hash & (slot_count - 1)];
    if (slot.hash != hash || slot.word_size != word.size() || std::memcmp(bytes_.data() + slot.word, word.data(), word.size()) != 0)
      return false;
    for (std::uint32_t i = 0; i < slot.token_count; ++i) {
      ModelToken token = tokens_[slot.tokens + i];
      token.begin += begin;
      token.end += begin;
      tokens.push_back(token);
    }
    return true;
  }

  /// Keeps the tokens from `first` on as those of `word`.
  void store(std::string_view word, std::uint32_t begin, const ModelTokens& tokens, std::size_t first) {
    if (slots_.empty() || bytes_.size() > max_bytes) {
      slots_.assign(slot_count, {});
      bytes_.clear();
      tokens_.clear();
    }
    const std::uint64_t hash = hash_text(word);
    slots_[hash & (slot_count - 1)] = {hash, std::uint32_t(bytes_.size()), std::uint32_t(word.size()), std::uint32_t(tokens_.size()),
                                       std::uint32_t(tokens.size() - first)};
    bytes_ += word;
    for (std::size_t i = first; i < tokens.size(); ++i) {
      tokens_.push_back(tokens[i]);
      tokens_.back().begin -= begin;
      tokens_.back().end -= begin;
    }
  }

 private:
  static constexpr std::size_t slot_count = 1u << 14, max_bytes = 1u << 20;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t word = 0, word_size = ~0u;
    std::uint32_t tokens = 0, token_count = 0;
  };
  std::vector<Slot> slots_;
  std::string bytes_;
  ModelTokens tokens_;
};

}  // namespace webformer
