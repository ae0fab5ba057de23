#include "text/normal_forms.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/unicode.h"

namespace webformer {
namespace {

/// A character of the result and what Rewriter::put() is told of it.
struct Item {
  char32_t c;
  int change;
  unsigned rank;
};

// Hangul syllables are composed of jamo by arithmetic (The Unicode Standard, 3.12).
constexpr char32_t hangul = 0xac00, leads = 0x1100, vowels = 0x1161, tails = 0x11a7;
constexpr char32_t lead_count = 19, vowel_count = 21, tail_count = 28, syllable_count = lead_count * vowel_count * tail_count;

void sort_marks(std::vector<Item>& items, std::size_t from) {
  std::stable_sort(items.begin() + std::ptrdiff_t(from), items.end(), [](const Item& a, const Item& b) { return a.rank < b.rank; });
}

std::vector<Item> decomposed(std::string_view text, bool compatibility) {
  std::vector<Item> items;
  items.reserve(text.size());
  std::size_t marks = 0;  // the combining marks at the end, not in order yet, begin there
  const auto push = [&](char32_t c, bool is_first) {
    const unsigned rank = combining_rank(c);
    if (rank == 0 && marks < items.size()) sort_marks(items, marks);
    items.push_back({c, is_first ? 0 : 1, rank});
    if (rank == 0) marks = items.size();
  };
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c >= hangul && c < hangul + syllable_count) {
      const char32_t index = c - hangul, tail = index % tail_count;
      push(leads + index / (vowel_count * tail_count), true);
      push(vowels + index / tail_count % vowel_count, false);
      if (tail != 0) push(tails + tail, false);
    } else if (const auto parts = decomposition(c, compatibility); !parts.empty()) {
      for (std::size_t i = 0; i < parts.size(); ++i) push(parts[i], i == 0);
    } else {
      push(c, true);
    }
  }
  sort_marks(items, marks);
  return items;
}

char32_t composed(char32_t first, char32_t second) {
  if (first >= leads && first < leads + lead_count && second >= vowels && second < vowels + vowel_count) {
    return hangul + ((first - leads) * vowel_count + (second - vowels)) * tail_count;
  }
  if (first >= hangul && first < hangul + syllable_count && (first - hangul) % tail_count == 0 && second > tails &&
      second < tails + tail_count) {
    return first + (second - tails);
  }
  return composition(first, second);
}

/// A composed character comes from all that it is made of.
void compose(std::vector<Item>& items) {
  std::size_t kept = 0, base = items.size();  // where the character is that others may join
  unsigned last_rank = 0;                     // of the marks kept since
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item item = items[i];
    if (base < kept) {
      const bool is_blocked = base + 1 < kept && last_rank >= item.rank;
      const char32_t joined = is_blocked ? 0 : composed(items[base].c, item.c);
      if (joined != 0) {
        items[base].c = joined;
        items[base].change += item.change - 1;
        continue;
      }
    }
    if (item.rank == 0) base = kept;
    last_rank = item.rank;
    items[kept++] = item;
  }
  items.resize(kept);
}

bool has_unsafe(std::string_view text, bool composes, bool compatibility) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c >= 0x80 && may_normalize(c, composes, compatibility)) return true;
  }
  return false;
}

}  // namespace

void normalize(AlignedText& text, NormalForm::Kind form) {
  using Kind = NormalForm::Kind;
  const bool composes = form == Kind::nfc || form == Kind::nfkc, compatibility = form == Kind::nfkc || form == Kind::nfkd;
  if (!has_unsafe(text.text, composes, compatibility)) return;
  std::vector<Item> items = decomposed(text.text, compatibility);
  if (composes) compose(items);
  Rewriter rewriter(text);
  for (const Item& item : items) rewriter.put(item.c, item.change);
  text = std::move(rewriter).finish();
}

}  // namespace webformer
