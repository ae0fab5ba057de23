#include "text/training/unigram_seeds.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/training/character_counts.h"

namespace webformer {
namespace {

constexpr char32_t word_end = 0xffffffff;
constexpr std::size_t steps_a_breath = 256, letters_a_breath = 1u << 14, largest_sort = 1u << 14;

/// The suffixes of all words are sorted as a tree is walked: those that share their first characters are a group, which the next
/// character divides.
class SuffixGroups {
 public:
  Task<> spell(const WordCounts& words, Schedule& schedule);
  Task<> walk(const WordCounts& words, const PieceRules& rules, Schedule& schedule);
  std::vector<SeedPiece> pieces(std::size_t most);

 private:
  struct Group {
    std::size_t begin, end;
    std::uint32_t depth;  ///< how many characters they share
  };
  struct Piece {
    std::uint64_t weight;
    std::uint32_t at, length;
  };

  /// By the next character, those of one as they were.
  Task<> sort_by_counting(Group group, Schedule& schedule);
  bool begins_word(std::uint32_t at) const { return at == 0 || letters_[at - 1] == word_end; }
  /// The word that begins at this suffix, which shares its first characters with no other.
  void add_whole_word(std::uint32_t suffix, const WordCounts& words, const PieceRules& rules);
  char32_t next(std::uint32_t suffix, std::uint32_t depth) const { return letters_[suffix + depth]; }
  std::u32string_view text(const Piece& piece) const { return std::u32string_view(letters_).substr(piece.at, piece.length); }

  std::u32string letters_;                // of all words, each with word_end after it
  std::vector<std::uint32_t> word_of_;    // by letter
  std::vector<std::uint32_t> suffixes_;   // places in letters_
  std::vector<Piece> found_;
};

Task<> SuffixGroups::spell(const WordCounts& words, Schedule& schedule) {
  constexpr std::size_t most = 1u << 30;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    if (i % steps_a_breath == 0) co_await schedule.breathe();
    const std::string_view word = words.word(i);
    for (std::size_t at = 0; at < word.size();) {
      const char32_t c = next_code_point(word, at);
      if (PieceRules::is_letter(c)) suffixes_.push_back(std::uint32_t(letters_.size()));
      letters_.push_back(c);
      word_of_.push_back(i);
    }
    letters_.push_back(word_end);
    word_of_.push_back(i);
    if (letters_.size() > most) throw Error(Code::out_of_memory, "training: words of more than {} characters together", most);
  }
}

Task<> SuffixGroups::sort_by_counting(Group group, Schedule& schedule) {
  std::map<char32_t, std::size_t> places;
  for (std::size_t i = group.begin; i < group.end; ++i) {
    if (i % letters_a_breath == 0) co_await schedule.breathe();
    ++places[next(suffixes_[i], group.depth)];
  }
  std::size_t place = 0;
  for (auto& [c, count] : places) place += std::exchange(count, place);
  std::vector<std::uint32_t> sorted(group.end - group.begin);
  for (std::size_t i = group.begin; i < group.end; ++i) {
    if (i % letters_a_breath == 0) co_await schedule.breathe();
    sorted[places[next(suffixes_[i], group.depth)]++] = suffixes_[i];
  }
  std::ranges::copy(sorted, suffixes_.begin() + std::ptrdiff_t(group.begin));
}

Task<> SuffixGroups::walk(const WordCounts& words, const PieceRules& rules, Schedule& schedule) {
  std::vector<Group> groups{{0, suffixes_.size(), 0}};
  for (std::size_t step = 0; !groups.empty(); ++step) {
    if (step % steps_a_breath == 0) co_await schedule.breathe();
    const Group group = groups.back();
    groups.pop_back();
    const auto begin = suffixes_.begin() + std::ptrdiff_t(group.begin), end = suffixes_.begin() + std::ptrdiff_t(group.end);
    if (group.depth > 0 && !rules.allows(std::u32string_view(letters_).substr(*begin, group.depth))) continue;
    if (group.end - group.begin == 1) {
      add_whole_word(*begin, words, rules);
      continue;
    }
    if (group.end - group.begin > largest_sort) {
      co_await sort_by_counting(group, schedule);
    } else {
      std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
        const char32_t x = next(a, group.depth), y = next(b, group.depth);
        return x != y ? x < y : a < b;
      });
    }
    std::uint64_t count = 0;
    std::size_t branches = 0;
    for (auto at = begin; at != end;) {
      const char32_t c = next(*at, group.depth);
      const auto first = at;
      std::uint64_t branch = 0;
      for (; at != end && next(*at, group.depth) == c; ++at) branch += words.count(word_of_[*at]);
      count += branch;
      branches += c == word_end ? std::size_t(at - first) : 1;
      if (c != word_end && branch >= 2 && group.depth < rules.longest)
        groups.push_back({std::size_t(first - suffixes_.begin()), std::size_t(at - suffixes_.begin()), group.depth + 1});
    }
    if (group.depth >= 2 && branches >= 2) found_.push_back({count * group.depth, *begin, group.depth});
  }
}

void SuffixGroups::add_whole_word(std::uint32_t suffix, const WordCounts& words, const PieceRules& rules) {
  if (!begins_word(suffix)) return;
  const auto length = std::uint32_t(letters_.find(word_end, suffix) - suffix);
  if (length < 2 || !rules.allows(std::u32string_view(letters_).substr(suffix, length))) return;
  found_.push_back({words.count(word_of_[suffix]) * length, suffix, length});
}

std::vector<SeedPiece> SuffixGroups::pieces(std::size_t most) {
  const auto middle = found_.begin() + std::ptrdiff_t(std::min(most, found_.size()));
  std::partial_sort(found_.begin(), middle, found_.end(), [&](const Piece& a, const Piece& b) {
    return a.weight != b.weight ? a.weight > b.weight : text(a) < text(b);
  });
  std::vector<SeedPiece> result;
  for (auto at = found_.begin(); at != middle; ++at) {
    std::string piece;
    for (const char32_t c : text(*at)) append_utf8(piece, c);
    result.push_back({std::move(piece), double(at->weight)});
  }
  return result;
}

}  // namespace

Task<Seeds> find_seeds(const WordCounts& words, const PieceRules& rules, std::size_t most, Schedule& schedule) {
  Seeds seeds;
  const auto add = [&](std::vector<SeedPiece>& list, SeedPiece piece) {
    if (!rules.is_reserved(piece.text)) list.push_back(std::move(piece));
  };
  for (const CharacterCount& one : co_await count_characters(words, schedule)) {
    if (PieceRules::is_letter(one.character)) add(seeds.characters, {to_utf8(one.character), double(one.count)});
  }
  SuffixGroups groups;
  co_await groups.spell(words, schedule);
  co_await groups.walk(words, rules, schedule);
  co_await schedule.breathe();
  for (SeedPiece& piece : groups.pieces(most)) add(seeds.pieces, std::move(piece));
  co_return seeds;
}

}  // namespace webformer
