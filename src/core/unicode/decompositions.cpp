#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/code_point_map.h"
#include "core/unicode.h"
#include "core/unicode/packed.h"
#include "core/unicode/tables.h"

namespace webformer {
namespace {

using namespace unicode_tables;

/// What one decomposition table says: code point -> its parts.
class Decompositions {
 public:
  Decompositions(const std::uint8_t* from, std::size_t size) {
    PackedReader reader(from, size);
    std::int32_t part = 0;
    for (char32_t c = 0; reader.more();) {
      c += reader.number();
      entries_.push_back({c, std::uint16_t(parts_.size()), reader.byte()});
      for (unsigned i = 0; i < entries_.back().length; ++i) parts_.push_back(char32_t(part += reader.difference()));
    }
  }
  std::span<const char32_t> find(char32_t c) const {
    const auto entry = std::ranges::lower_bound(entries_, c, {}, &Entry::from);
    if (entry == entries_.end() || entry->from != c) return {};
    return std::span(parts_).subspan(entry->begin, entry->length);
  }

 private:
  struct Entry {
    char32_t from;
    std::uint16_t begin;
    std::uint8_t length;
  };
  std::vector<Entry> entries_;
  std::vector<char32_t> parts_;
};

CodePointMap make_combining_ranks() {
  CodePointMap::Builder builder;
  PackedReader reader(combining_ranks, combining_ranks_size);
  while (reader.more()) {
    const std::uint32_t length = reader.number();
    builder.append(length, reader.byte());
  }
  return builder.finish();
}

std::unordered_map<std::uint64_t, char32_t> make_compositions() {
  std::unordered_map<std::uint64_t, char32_t> result;
  PackedReader reader(compositions, compositions_size);
  std::uint64_t first = 0;
  std::int32_t composed = 0;
  while (reader.more()) {
    first += reader.number();
    const std::uint64_t second = reader.number();
    result.emplace(first << 32 | second, char32_t(composed += reader.difference()));
  }
  return result;
}

const std::unordered_map<std::uint64_t, char32_t>& pairs() {
  static const std::unordered_map<std::uint64_t, char32_t> all = make_compositions();
  return all;
}

/// Whether the composition of `parts`, from left to right, is `c`.
bool recomposes(char32_t c, std::span<const char32_t> parts) {
  char32_t composed = parts[0];
  for (const char32_t part : parts.subspan(1)) composed = composition(composed, part);
  return composed == c;
}

/// Whether `c` is the second of any pair.
bool joins_before(char32_t c) {
  static const std::unordered_set<char32_t> seconds = [] {
    std::unordered_set<char32_t> result;
    for (const auto& [pair, composed] : pairs()) result.insert(char32_t(pair));
    return result;
  }();
  return seconds.contains(c);
}

constexpr unsigned changes_nfc = 1, changes_nfd = 2, changes_nfkc = 4, changes_nfkd = 8;

CodePointMap make_changes() {
  CodePointMap::Builder builder;
  for (char32_t c = 0; c <= max_code_point; ++c) {
    const bool is_hangul = c >= 0xac00 && c <= 0xd7a3, is_later_jamo = (c >= 0x1161 && c <= 0x1175) || (c >= 0x11a8 && c <= 0x11c2);
    const auto canon = decomposition(c, false), compatible = decomposition(c, true);
    // A character of its own is safe where it decomposes into what composes to it again, and never joins the one before it.
    const bool is_composed = !canon.empty() && combining_rank(canon[0]) == 0 && recomposes(c, canon);
    const bool joins = combining_rank(c) != 0 || is_later_jamo || joins_before(c);
    const bool nfd = is_hangul || combining_rank(c) != 0 || !canon.empty();
    const bool nfc = joins || (!canon.empty() && !is_composed);
    const bool compatibility_differs = compatible.data() != canon.data();
    builder.append(1, std::uint8_t(nfc * changes_nfc | nfd * changes_nfd | (nfc || compatibility_differs) * changes_nfkc |
                                   (nfd || compatibility_differs) * changes_nfkd));
  }
  return builder.finish();
}

}  // namespace

bool may_normalize(char32_t c, bool composes, bool compatible) {
  static const CodePointMap map = make_changes();
  return map[c] & (composes ? (compatible ? changes_nfkc : changes_nfc) : (compatible ? changes_nfkd : changes_nfd));
}

unsigned combining_rank(char32_t c) {
  static const CodePointMap map = make_combining_ranks();
  return map[c];
}

std::span<const char32_t> decomposition(char32_t c, bool compatible) {
  static const Decompositions by_canon(canonical, canonical_size);
  static const Decompositions by_compatibility(compatibility, compatibility_size);
  if (compatible) {
    if (const auto parts = by_compatibility.find(c); !parts.empty()) return parts;
  }
  return by_canon.find(c);
}

char32_t composition(char32_t first, char32_t second) {
  const auto found = pairs().find(std::uint64_t(first) << 32 | second);
  return found == pairs().end() ? 0 : found->second;
}

}  // namespace webformer
