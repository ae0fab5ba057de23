#pragma once
// Tokens and ids, in flat tables.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/spec.h"
#include "text/string_pool.h"

namespace webformer {

class Vocabulary {
 public:
  Vocabulary() = default;
  /// Where a token has two ids, the higher one is found. Throws invalid_file for two tokens of one id, and for ids that are negative or far
  /// beyond the count.
  Vocabulary(const VocabularySpec& spec, std::string_view source);
  /// The index is the id.
  explicit Vocabulary(StringPool tokens);

  std::optional<std::int32_t> find(std::string_view token) const noexcept;
  /// "" where there is none.
  std::string_view token(std::int32_t id) const noexcept { return has(id) ? tokens_[std::size_t(id)] : std::string_view(); }
  bool has(std::int32_t id) const noexcept { return id >= 0 && std::size_t(id) < present_.size() && present_[std::size_t(id)] != 0; }
  std::size_t count() const noexcept { return count_; }                        ///< of tokens
  std::int32_t end() const noexcept { return std::int32_t(present_.size()); }  ///< the highest id and one
  VocabularySpec spec() const;
  const StringPool& tokens() const noexcept { return tokens_; }

  template <class Archive>
  friend void transfer(Archive& archive, Vocabulary& it) {
    archive(it.tokens_.bytes(), it.tokens_.ends(), it.present_, it.slots_, it.count_);
    if constexpr (Archive::is_reading) it.check();
  }

 private:
  void index();
  void check() const;

  StringPool tokens_;                  // by id
  std::vector<std::uint8_t> present_;  // by id: 1, or 0 for a gap
  std::vector<std::int32_t> slots_;    // open addressing by hash: ids, or -1
  std::uint64_t count_ = 0;
};

}  // namespace webformer
