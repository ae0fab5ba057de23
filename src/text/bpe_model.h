#pragma once
// Byte-pair encoding by ranked merges (Sennrich et al. 2016, https://arxiv.org/abs/1508.07909).

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "text/join_filter.h"
#include "text/model_token.h"
#include "text/spec.h"
#include "text/vocabulary.h"
#include "text/word_cache.h"

namespace webformer {

/// (left, right) -> rank and what they become, by open addressing.
class MergeTable {
 public:
  struct Merge {
    std::int32_t left = -1, right = -1;
    std::uint32_t rank = 0;
    std::int32_t merged = -1;
  };

  MergeTable() = default;
  explicit MergeTable(std::size_t count);
  /// A pair that is there already gets the new rank.
  void insert(const Merge& merge);
  const Merge* find(std::int32_t left, std::int32_t right) const noexcept;
  std::vector<Merge> by_rank() const;
  std::vector<Merge>& slots() noexcept { return slots_; }

 private:
  std::vector<Merge> slots_;
};

class BpeModel {
 public:
  /// One step of a merge, for those who want to see it: the symbols as text after it, and what was joined.
  using Watch = std::function<void(std::vector<std::string> pieces, std::string left, std::string right)>;

  BpeModel() = default;
  /// `of_bytes`: the words are raw bytes, and the tokens are written in the byte alphabet.
  BpeModel(const BpeSpec& spec, bool of_bytes, std::string_view source);

  /// `begin`: where the word is in the text that the tokens' places are counted in. Near-linear in the word.
  void tokenize(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const;
  void watch(std::string_view word, const Watch& watch) const;
  BpeSpec spec() const;
  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }

  template <class Archive>
  friend void transfer(Archive& archive, BpeModel& it) {
    archive(it.vocabulary_, it.merges_.slots(), it.unknown_token_, it.unknown_id_, it.continuing_prefix_, it.word_suffix_, it.fuse_unknown_,
            it.byte_fallback_, it.ignore_merges_, it.of_bytes_, it.byte_ids_, it.last_byte_ids_, it.joins_);
  }

 private:
  struct Symbol {
    std::int32_t id;
    std::uint32_t begin, end;  // bytes of the word; end is 0 for what was merged into its left neighbour
    std::uint32_t previous, next;
  };
  static constexpr std::uint32_t none = ~0u;

  void find_joins();
  void tokenize_part(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const;
  std::int32_t id_at(std::string_view word, std::size_t begin, std::size_t end) const;
  void add_symbols(std::string_view word, std::vector<Symbol>& symbols) const;
  void move_as_spelled(std::string_view word, std::vector<Symbol>& symbols) const;
  void add_fallback(std::string_view character, std::uint32_t begin, std::vector<Symbol>& symbols) const;
  template <class OnMerge>
  void merge(std::vector<Symbol>& symbols, OnMerge on_merge) const;
  std::string shown(const Symbol& symbol, std::string_view word) const;

  Vocabulary vocabulary_;
  MergeTable merges_;
  std::optional<std::string> unknown_token_;
  std::int32_t unknown_id_ = -1;
  std::string continuing_prefix_, word_suffix_;
  bool fuse_unknown_ = false, byte_fallback_ = false, ignore_merges_ = false, of_bytes_ = false;
  std::array<std::int32_t, 256> byte_ids_{};       // of_bytes: the token of each byte; else that of <0xXX>, where byte_fallback; -1: none
  std::array<std::int32_t, 256> last_byte_ids_{};  // of_bytes: with the word's suffix
  JoinFilter joins_;                               // empty where a long word is not to be cut
  mutable WordCache cache_;
};

}  // namespace webformer
