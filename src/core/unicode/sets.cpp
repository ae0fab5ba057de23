// Categories, sets and cases.
#include <algorithm>
#include <array>
#include <map>

#include "core/code_point_map.h"
#include "core/unicode.h"
#include "core/unicode/packed.h"
#include "core/unicode/tables.h"

namespace webformer {
namespace {

using namespace unicode_tables;

std::vector<CodePointRange> unpack_set(std::size_t set) {
  std::vector<CodePointRange> result;
  PackedReader reader(sets + set_starts[set], set_starts[set + 1] - set_starts[set]);
  for (char32_t at = 0; reader.more();) {
    at += reader.number();
    const std::uint32_t length = reader.number();
    result.push_back({at, at + length - 1});
    at += length;
  }
  return result;
}

/// Eight sets from `first` on, a bit each.
CodePointMap make_set_map(std::size_t first) {
  std::map<char32_t, std::uint8_t> changes;  // code point -> the bits that turn over there
  for (std::size_t bit = 0; bit < 8 && first + bit < char_set_count; ++bit) {
    for (const auto& range : unpack_set(first + bit)) {
      changes[range.first] ^= std::uint8_t(1u << bit);
      changes[range.last + 1] ^= std::uint8_t(1u << bit);
    }
  }
  CodePointMap::Builder builder;
  char32_t from = 0;
  std::uint8_t bits = 0;
  for (const auto& [at, turned] : changes) {
    builder.append(at - from, bits);
    from = at;
    bits ^= turned;
  }
  return builder.finish();
}

CodePointMap make_script_map() {
  CodePointMap::Builder builder;
  for (PackedReader reader(scripts, scripts_size); reader.more();) {
    const std::uint32_t length = reader.number();
    builder.append(length, reader.byte());
  }
  return builder.finish();
}

struct CaseRun {
  char32_t first, last;
  std::uint32_t step;
  std::int32_t difference;
};

std::vector<CaseRun> unpack_case_runs(const std::uint8_t* from, std::size_t size) {
  std::vector<CaseRun> result;
  PackedReader reader(from, size);
  for (char32_t at = 0; reader.more();) {
    const char32_t first = at + reader.number();
    const std::uint32_t count = reader.number(), step = reader.byte();
    at = first + (count - 1) * step;
    result.push_back({first, at, step, reader.difference()});
  }
  return result;
}

const std::vector<CaseRun>& lowercase_runs() {
  static const std::vector<CaseRun> runs = unpack_case_runs(lowercase, lowercase_size);
  return runs;
}

const std::vector<CaseRun>& folding_runs() {
  static const std::vector<CaseRun> runs = unpack_case_runs(folding, folding_size);
  return runs;
}

char32_t mapped(const std::vector<CaseRun>& runs, char32_t c) {
  const auto run = std::ranges::lower_bound(runs, c, {}, &CaseRun::last);
  return run != runs.end() && c >= run->first && (c - run->first) % run->step == 0 ? char32_t(std::int32_t(c) + run->difference) : c;
}

}  // namespace

std::vector<CodePointRange> ranges(CharSet set) { return unpack_set(std::size_t(set)); }

std::vector<CodePointRange> ranges(Category category) {
  std::vector<CodePointRange> result;
  PackedReader reader(categories, categories_size);
  for (char32_t at = 0; reader.more();) {
    const std::uint32_t length = reader.number();
    if (reader.byte() == std::uint8_t(category)) result.push_back({at, at + length - 1});
    at += length;
  }
  return result;
}

bool contains(CharSet set, char32_t c) {
  static const std::array<CodePointMap, (char_set_count + 7) / 8> maps{make_set_map(0), make_set_map(8), make_set_map(16)};
  return (maps[std::size_t(set) / 8][c] >> (std::size_t(set) % 8)) & 1u;
}

Script script_of(char32_t c) {
  static const CodePointMap map = make_script_map();
  return Script(map[c]);
}

char32_t to_lower(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  return mapped(lowercase_runs(), c);
}

char32_t fold_case(char32_t c) {
  const char32_t folded = mapped(folding_runs(), c);
  return folded != c ? folded : to_lower(c);
}

std::vector<CodePointRange> close_over_case(std::span<const CodePointRange> given) {
  // The characters with case are few: those that a run maps, and what they map to.
  std::vector<char32_t> cased;
  for (const auto* runs : {&lowercase_runs(), &folding_runs()}) {
    for (const CaseRun& run : *runs) {
      for (char32_t c = run.first; c <= run.last; c += run.step) {
        cased.push_back(c);
        cased.push_back(char32_t(std::int32_t(c) + run.difference));
      }
    }
  }
  std::ranges::sort(cased);
  const auto is_given = [given](char32_t c) {
    return std::ranges::any_of(given, [c](const CodePointRange& range) { return c >= range.first && c <= range.last; });
  };
  std::vector<char32_t> folded;
  for (const char32_t c : cased) {
    if (is_given(c)) folded.push_back(fold_case(c));
  }
  std::ranges::sort(folded);

  std::vector<CodePointRange> result(given.begin(), given.end());
  for (const char32_t c : cased) {
    if (std::ranges::binary_search(folded, fold_case(c))) result.push_back({c, c});
  }
  return result;
}

}  // namespace webformer
