#pragma once
// Tokens that are looked for in the text itself, before the model sees the rest.

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "text/double_array.h"
#include "text/normalizers.h"
#include "text/spec.h"
#include "text/vocabulary.h"

namespace webformer {

/// One kind of added tokens as a trie.
class TokenFinder {
 public:
  struct Match {
    std::size_t begin, end;  ///< bytes, with the white space that the token takes
    std::uint32_t token;     ///< index of the added tokens
  };

  TokenFinder() = default;
  /// `contents`: what to look for, and which token it is; the last of twins counts.
  explicit TokenFinder(std::vector<std::pair<std::string, std::uint32_t>> contents);
  bool empty() const noexcept { return trie_.empty(); }
  /// From left to right, the longest at each place. White space that a token takes may reach into the place of the next one, as in
  /// tokenizers.
  void find_all(std::string_view text, std::span<const AddedTokenSpec> tokens, std::vector<Match>& matches) const;

 private:
  DoubleArray trie_;
  std::bitset<256> first_bytes_;
};

struct AddedVocabulary {
  std::vector<AddedTokenSpec> tokens;  ///< in the order of adding; each content once
  std::vector<std::string> decoded;    ///< what each is as text: its content, normalized where it is looked for so
  std::unordered_map<std::int32_t, std::uint32_t> by_id;
  std::unordered_map<std::string, std::uint32_t> by_content;
  TokenFinder raw, normalized;  ///< looked for in the text as it is; in the normalized text
  std::size_t new_count = 0;    ///< of tokens that the model does not have

  AddedVocabulary() = default;
  /// A token that the model has gets the model's id. Throws invalid_file where two added tokens have one id, or one has none.
  AddedVocabulary(std::vector<AddedTokenSpec> tokens, const NormalizerChain& normalizers, const Vocabulary& model, std::string_view source);

  /// The same with more tokens, which get their ids from the model or after all others. `added` counts those that are not there in the same
  /// form.
  AddedVocabulary with(std::span<const AddedToken> more, const NormalizerChain& normalizers, const Vocabulary& model,
                       std::size_t& added) const;
  const AddedTokenSpec* find(std::int32_t id) const noexcept;
  bool is_special(std::int32_t id) const noexcept;
};

}  // namespace webformer
