#include "text/charsmap.h"

#include <utility>
#include <vector>

#include "core/error.h"
#include "core/unicode.h"

namespace webformer {
namespace {

/// The end of the grapheme cluster (UAX 29) at `at`. Rules that join characters into six bytes and more, which are then taken one by one in
/// any case, are left out: Hangul jamo, emoji sequences, flags, Indic conjuncts.
std::size_t cluster_end(std::string_view text, std::size_t at) {
  const auto is_control = [](char32_t c) { return c < 0x20 || contains(CharSet::grapheme_control, c); };
  char32_t c = next_code_point(text, at);
  if (c == '\r' && at < text.size() && text[at] == '\n') return at + 1;
  bool is_prepended = contains(CharSet::grapheme_prepend, c);
  if (is_control(c)) return at;
  while (at < text.size()) {
    std::size_t end = at;
    c = next_code_point(text, end);
    if (c < 0x80 && !is_prepended) return at;
    if (is_control(c)) return at;
    if (!is_prepended && !contains(CharSet::grapheme_extend, c) && !contains(CharSet::grapheme_spacing_mark, c)) return at;
    is_prepended = contains(CharSet::grapheme_prepend, c);
    at = end;
  }
  return at;
}

/// `old_part` becomes `new_part`, in the terms of Rewriter::put(): what is more is inserted, what is less goes with the last character so
/// far.
void replace(std::vector<std::pair<char32_t, int>>& items, std::string_view old_part, std::string_view new_part) {
  const auto old_count = std::ptrdiff_t(count_code_points(old_part)), new_count = std::ptrdiff_t(count_code_points(new_part));
  for (std::size_t at = 0; at < new_part.size();) items.emplace_back(next_code_point(new_part, at), 0);
  for (std::ptrdiff_t i = 0; i < new_count - old_count; ++i) items[items.size() - 1 - std::size_t(i)].second = 1;
  if (new_count < old_count && !items.empty()) items.back().second += int(new_count - old_count);
}

}  // namespace

Charsmap Charsmap::read(std::string_view bytes, std::string_view where) {
  const auto number_at = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
  };
  if (bytes.size() < 4) throw Error(Code::invalid_file, "{}: {} bytes, a charsmap has 4 and more", where, bytes.size());
  const std::uint32_t size = number_at(0);
  if (size % 4 != 0 || size > bytes.size() - 4) {
    throw Error(Code::invalid_file, "{}: the trie has {} bytes, a multiple of 4 up to {} expected", where, size, bytes.size() - 4);
  }
  Charsmap result;
  auto& units = result.trie_.units();
  units.reserve(size / 4);
  for (std::size_t at = 4; at < 4 + std::size_t(size); at += 4) units.push_back(number_at(at));
  result.replacements_ = bytes.substr(4 + size);
  if (repair_utf8(result.replacements_)) throw Error(Code::invalid_file, "{}: the replacements are not UTF-8", where);
  return result;
}

std::string_view Charsmap::replacement_at(std::uint32_t at) const noexcept {
  const auto all = std::string_view(replacements_).substr(std::min<std::size_t>(at, replacements_.size()));
  if (!all.empty() && is_utf8_continuation(all[0])) return {};  // a broken trie: nothing, but well-formed
  return all.substr(0, all.find('\0'));
}

std::optional<Charsmap::Found> Charsmap::shortest(std::string_view text) const noexcept {
  auto cursor = trie_.begin();
  for (std::size_t i = 0; i < text.size() && cursor.advance(text[i]); ++i) {
    if (cursor.is_key()) return Found{i + 1, replacement_at(cursor.value())};
  }
  return std::nullopt;
}

std::optional<Charsmap::Found> Charsmap::longest(std::string_view text) const noexcept {
  std::optional<Found> found;
  auto cursor = trie_.begin();
  for (std::size_t i = 0; i < text.size() && cursor.advance(text[i]); ++i) {
    const bool ends_whole = i + 1 == text.size() || !is_utf8_continuation(text[i + 1]);
    if (cursor.is_key() && ends_whole) found = Found{i + 1, replacement_at(cursor.value())};
  }
  return found;
}

void apply_precompiled(AlignedText& text, const Charsmap& charsmap) {
  std::vector<std::pair<char32_t, int>> items;
  items.reserve(text.text.size());
  const std::string_view all = text.text;
  bool is_changed = false;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = cluster_end(all, at);
    const std::string_view cluster = all.substr(at, end - at);
    at = end;
    if (cluster.size() < 6) {
      if (const auto found = charsmap.shortest(cluster)) {
        is_changed = true;
        replace(items, cluster, found->replacement);
        continue;
      }
    }
    for (std::size_t i = 0; i < cluster.size();) {
      const std::string_view part = cluster.substr(i, utf8_width(cluster[i]));
      if (const auto found = charsmap.shortest(part)) {
        is_changed = true;
        replace(items, part, found->replacement);
        i += part.size();
      } else {
        items.emplace_back(next_code_point(cluster, i), 0);
      }
    }
  }
  if (!is_changed) return;
  Rewriter rewriter(text);
  for (const auto& [c, change] : items) rewriter.put(c, change);
  text = std::move(rewriter).finish();
}

}  // namespace webformer
