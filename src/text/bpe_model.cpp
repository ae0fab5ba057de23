#include "text/bpe_model.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/archive.h"
#include "text/byte_alphabet.h"
#include "text/byte_tokens.h"

namespace webformer {

MergeTable::MergeTable(std::size_t count) : slots_(std::bit_ceil(std::max<std::size_t>(count * 2, 2))) {}

void MergeTable::insert(const Merge& merge) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mix_bits(std::uint64_t(std::uint32_t(merge.left)) << 32 | std::uint32_t(merge.right)) & mask;
  while (slots_[slot].left >= 0 && (slots_[slot].left != merge.left || slots_[slot].right != merge.right)) slot = (slot + 1) & mask;
  slots_[slot] = merge;
}

const MergeTable::Merge* MergeTable::find(std::int32_t left, std::int32_t right) const noexcept {
  if (slots_.empty() || left < 0) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mix_bits(std::uint64_t(std::uint32_t(left)) << 32 | std::uint32_t(right)) & mask;
  for (std::size_t tries = 0; tries < slots_.size(); ++tries, slot = (slot + 1) & mask) {
    const Merge& merge = slots_[slot];
    if (merge.left < 0) return nullptr;
    if (merge.left == left && merge.right == right) return &merge;
  }
  return nullptr;
}

std::vector<MergeTable::Merge> MergeTable::by_rank() const {
  std::vector<Merge> result;
  std::ranges::copy_if(slots_, std::back_inserter(result), [](const Merge& merge) { return merge.left >= 0; });
  std::ranges::sort(result, {}, &Merge::rank);
  return result;
}

BpeModel::BpeModel(const BpeSpec& spec, bool of_bytes, std::string_view source)
    : vocabulary_(spec.vocabulary, source),
      merges_(spec.merges.size() / 2),
      unknown_token_(spec.unknown_token),
      continuing_prefix_(spec.continuing_prefix),
      word_suffix_(spec.word_suffix),
      fuse_unknown_(spec.fuse_unknown),
      byte_fallback_(spec.byte_fallback),
      ignore_merges_(spec.ignore_merges),
      of_bytes_(of_bytes) {
  std::string joined;
  for (std::size_t i = 0; i + 1 < spec.merges.size(); i += 2) {
    const std::string_view left = spec.merges[i], right = spec.merges[i + 1];
    joined = left;
    joined += right.substr(std::min(right.size(), continuing_prefix_.size()));
    const auto refuse = [&](std::string_view token) {
      throw Error(Code::invalid_file, "{}: model.merges[{}] (\"{}\" \"{}\"): \"{}\" is not in the vocabulary", source, i / 2, left, right,
                  token);
    };
    const auto left_id = vocabulary_.find(left), right_id = vocabulary_.find(right), merged_id = vocabulary_.find(joined);
    if (left.empty() || right.empty() || !left_id || !right_id) refuse(left.empty() || !left_id ? left : right);
    if (!merged_id) refuse(joined);
    merges_.insert({*left_id, *right_id, std::uint32_t(i / 2), *merged_id});
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string token = of_bytes ? to_utf8(byte_alphabet[byte]) : byte_token(std::uint8_t(byte));
    byte_ids_[byte] = vocabulary_.find(token).value_or(-1);
    last_byte_ids_[byte] = vocabulary_.find(token + word_suffix_).value_or(-1);
  }
  if (unknown_token_) unknown_id_ = vocabulary_.find(*unknown_token_).value_or(-1);
  find_joins();
  const bool needs_unknown = !of_bytes || std::ranges::find(byte_ids_, -1) != byte_ids_.end();
  if (unknown_token_ && unknown_id_ < 0 && needs_unknown) {
    throw Error(Code::invalid_file, "{}: model.unk_token \"{}\" is not in the vocabulary", source, *unknown_token_);
  }
}

/// A merge joins the last character of its left side and the first of its right side. Words of bytes are short; tokens that do not begin
/// and end as their text does (unknown ones, bytes, those with a prefix) tell nothing, and characters that are left out make strangers
/// neighbours.
void BpeModel::find_joins() {
  if (of_bytes_ || ignore_merges_ || !continuing_prefix_.empty() || unknown_id_ < 0) return;
  std::vector<std::pair<char32_t, char32_t>> pairs;
  for (const MergeTable::Merge& merge : merges_.slots()) {
    if (merge.left < 0) continue;
    for (const std::int32_t id : {merge.left, merge.right}) {
      if (id == unknown_id_ || (byte_fallback_ && byte_of_token(vocabulary_.token(id)))) return;
    }
    const std::string_view left = vocabulary_.token(merge.left), right = vocabulary_.token(merge.right);
    std::size_t last = previous_code_point(left, left.size()), first = 0;
    pairs.emplace_back(next_code_point(left, last), next_code_point(right, first));
  }
  joins_ = JoinFilter(std::move(pairs));
}

void BpeModel::add_fallback(std::string_view character, std::uint32_t begin, std::vector<Symbol>& symbols) const {
  const bool has_all =
      byte_fallback_ && std::ranges::all_of(character, [&](char c) { return byte_ids_[static_cast<unsigned char>(c)] >= 0; });
  if (has_all) {
    for (std::uint32_t i = 0; i < character.size(); ++i) {
      symbols.push_back({byte_ids_[static_cast<unsigned char>(character[i])], begin + i, begin + i + 1, 0, 0});
    }
  } else if (unknown_id_ >= 0) {
    const bool fuses = fuse_unknown_ && !symbols.empty() && symbols.back().id == unknown_id_ && symbols.back().end == begin;
    if (fuses) symbols.back().end += std::uint32_t(character.size());
    else symbols.push_back({unknown_id_, begin, begin + std::uint32_t(character.size()), 0, 0});
  }
}

/// The token of one character, with the marks of its place in the word; -1 where there is none.
std::int32_t BpeModel::id_at(std::string_view word, std::size_t begin, std::size_t end) const {
  if (of_bytes_ && (continuing_prefix_.empty() || begin == 0)) {
    return (end == word.size() ? last_byte_ids_ : byte_ids_)[static_cast<unsigned char>(word[begin])];
  }
  std::string token;
  if (begin > 0) token += continuing_prefix_;
  if (of_bytes_) append_utf8(token, byte_alphabet[static_cast<unsigned char>(word[begin])]);
  else token += word.substr(begin, end - begin);
  if (end == word.size()) token += word_suffix_;
  return vocabulary_.find(token).value_or(-1);
}

void BpeModel::add_symbols(std::string_view word, std::vector<Symbol>& symbols) const {
  symbols.reserve(word.size());
  // A character without any token leaves no gap: what follows is counted from there, as in tokenizers.
  const auto place = [&] { return symbols.empty() ? 0 : symbols.back().end; };
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t width = of_bytes_ ? 1 : utf8_width(word[at]), end = at + width;
    const std::int32_t id = id_at(word, at, end);
    if (id >= 0) symbols.push_back({id, place(), place() + std::uint32_t(width), 0, 0});
    else add_fallback(word.substr(at, width), place(), symbols);
    at = end;
  }
  if (of_bytes_ && place() < word.size()) move_as_spelled(word, symbols);
}

/// Of a word of bytes, some of which have no token: tokenizers counts what is left in the spelling of the byte alphabet, from the word's
/// beginning.
void BpeModel::move_as_spelled(std::string_view word, std::vector<Symbol>& symbols) const {
  const auto width = [](char byte) { return byte_alphabet[static_cast<unsigned char>(byte)] < 0x80 ? 1u : 2u; };
  std::vector<std::uint32_t> bytes;  // of each place of the spelling
  for (std::uint32_t i = 0; i < word.size(); ++i) bytes.insert(bytes.end(), width(word[i]), i);
  std::size_t place = 0, kept = 0;
  for (std::size_t i = 0; i < word.size() && kept < symbols.size(); ++i) {
    if (id_at(word, i, i + 1) < 0) continue;
    symbols[kept].begin = bytes[place];
    place += width(word[i]);
    symbols[kept++].end = bytes[place - 1] + 1;
  }
}

/// Merges the pair of the lowest rank, of equal ones the leftmost, until there is none. `on_merge` gets the symbols' indices before each.
template <class OnMerge>
void BpeModel::merge(std::vector<Symbol>& symbols, OnMerge on_merge) const {
  struct Candidate {
    std::uint32_t rank, left;
    std::int32_t left_id, right_id, merged;  // a candidate is stale when its symbols have become others
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };
  std::vector<Candidate> candidates;
  candidates.reserve(symbols.size());
  const auto candidate = [&](std::uint32_t left, std::uint32_t right) -> bool {
    const MergeTable::Merge* merge = merges_.find(symbols[left].id, symbols[right].id);
    if (merge) candidates.push_back({merge->rank, left, merge->left, merge->right, merge->merged});
    return merge != nullptr;
  };
  const auto count = std::uint32_t(symbols.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    symbols[i].previous = i == 0 ? none : i - 1;
    symbols[i].next = i + 1 == count ? none : i + 1;
    if (i + 1 < count) candidate(i, i + 1);
  }
  std::make_heap(candidates.begin(), candidates.end());
  while (!candidates.empty()) {
    std::pop_heap(candidates.begin(), candidates.end());
    const Candidate best = candidates.back();
    candidates.pop_back();
    Symbol& left = symbols[best.left];
    if (left.end == 0 || left.id != best.left_id || left.next == none || symbols[left.next].id != best.right_id) continue;
    on_merge(best.left, left.next);
    Symbol& right = symbols[left.next];
    left.id = best.merged;
    left.end = right.end;
    right.end = 0;
    left.next = right.next;
    if (left.next != none) symbols[left.next].previous = best.left;
    if (left.next != none && candidate(best.left, left.next)) std::push_heap(candidates.begin(), candidates.end());
    if (left.previous != none && candidate(left.previous, best.left)) std::push_heap(candidates.begin(), candidates.end());
  }
}

void BpeModel::tokenize(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const {
  if (word.empty()) return;
  if (word.size() <= WordCache::max_word || joins_.empty() || !word_suffix_.empty()) return tokenize_part(word, begin, tokens);
  joins_.each_part(word, [&](std::size_t from, std::size_t to) {
    const std::size_t before = tokens.size();
    tokenize_part(word.substr(from, to - from), begin + std::uint32_t(from), tokens);
    // Unknown characters fuse over a cut as well.
    if (!fuse_unknown_ || from == 0 || tokens.size() == before || tokens[before].id != unknown_id_ || tokens[before - 1].id != unknown_id_)
      return;
    tokens[before - 1].end = tokens[before].end;
    tokens.erase(tokens.begin() + std::ptrdiff_t(before));
  });
}

/// A part that is merged by itself.
void BpeModel::tokenize_part(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const {
  if (cache_.find(word, begin, tokens)) return;
  const std::size_t first = tokens.size();
  const auto whole = ignore_merges_ ? vocabulary_.find(of_bytes_ ? to_byte_alphabet(word) : word) : std::nullopt;
  if (whole) {
    tokens.push_back({*whole, begin, begin + std::uint32_t(word.size())});
  } else {
    std::vector<Symbol> symbols;
    add_symbols(word, symbols);
    merge(symbols, [](std::uint32_t, std::uint32_t) {});
    for (std::uint32_t i = symbols.empty() ? none : 0; i != none; i = symbols[i].next) {
      tokens.push_back({symbols[i].id, begin + symbols[i].begin, begin + symbols[i].end});
    }
  }
  if (word.size() <= WordCache::max_word) cache_.store(word, begin, tokens, first);
}

std::string BpeModel::shown(const Symbol& symbol, std::string_view word) const {
  return std::string(symbol.id == unknown_id_ ? word.substr(symbol.begin, symbol.end - symbol.begin) : vocabulary_.token(symbol.id));
}

void BpeModel::watch(std::string_view word, const Watch& watch) const {
  std::vector<Symbol> symbols;
  add_symbols(word, symbols);
  std::vector<std::string> pieces;
  const auto collect = [&](std::uint32_t joined) {
    pieces.clear();
    for (std::uint32_t i = symbols.empty() ? none : 0; i != none; i = symbols[i].next) {
      pieces.push_back(shown(symbols[i], word));
      if (i == joined) {  // told before the symbols change
        pieces.back() = std::string(vocabulary_.token(merges_.find(symbols[i].id, symbols[symbols[i].next].id)->merged));
        i = symbols[i].next;
      }
    }
  };
  for (std::uint32_t i = 0; i < symbols.size(); ++i) symbols[i].next = i + 1 == symbols.size() ? none : i + 1;
  collect(none);
  watch(pieces, {}, {});
  merge(symbols, [&](std::uint32_t left, std::uint32_t right) {
    collect(left);
    watch(pieces, shown(symbols[left], word), shown(symbols[right], word));
  });
}

BpeSpec BpeModel::spec() const {
  BpeSpec result;
  result.vocabulary = vocabulary_.spec();
  for (const MergeTable::Merge& merge : merges_.by_rank()) {
    result.merges.push_back(vocabulary_.token(merge.left));
    result.merges.push_back(vocabulary_.token(merge.right));
  }
  result.unknown_token = unknown_token_;
  result.continuing_prefix = continuing_prefix_;
  result.word_suffix = word_suffix_;
  result.fuse_unknown = fuse_unknown_;
  result.byte_fallback = byte_fallback_;
  result.ignore_merges = ignore_merges_;
  return result;
}

}  // namespace webformer
