#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "kernels/cross_entropy.h"
#include "training/denoising.h"
#include "training/masking.h"
#include "training/shuffle.h"

using namespace webformer;

TEST_CASE("15 % of the tokens are chosen, of which 80 % are masked, 10 % replaced and 10 % unchanged; special tokens never") {
  Random random(1);
  std::vector<std::int32_t> words(200);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i % 10 == 0 ? -1 : std::int32_t(i);
  double counts[4] = {};
  for (int round = 0; round < 500; ++round) {
    const auto actions = choose_masked(words, 0.15, random);
    for (std::size_t i = 0; i < words.size(); ++i) {
      ++counts[int(actions[i])];
      if (words[i] < 0) CHECK(actions[i] == MaskAction::none);
    }
    CHECK(std::ranges::count_if(actions, [](MaskAction a) { return a != MaskAction::none; }) == 27);  // 0.15 * 180
  }
  const double chosen = 27 * 500;
  CHECK(counts[int(MaskAction::mask)] / chosen == doctest::Approx(0.8).epsilon(0.02));
  CHECK(counts[int(MaskAction::replace)] / chosen == doctest::Approx(0.1).epsilon(0.1));
  CHECK(counts[int(MaskAction::unchanged)] / chosen == doctest::Approx(0.1).epsilon(0.1));
}

TEST_CASE("whole words are chosen together, and one word at least") {
  Random random(2);
  const std::vector<std::int32_t> words{-1, 0, 0, 0, 1, 2, 2, -1};
  for (int round = 0; round < 100; ++round) {
    const auto actions = choose_masked(words, 0.01, random);
    std::set<std::int32_t> chosen;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (actions[i] != MaskAction::none) chosen.insert(words[i]);
    CHECK(chosen.size() == 1);
    for (std::size_t i = 0; i < words.size(); ++i) CHECK((actions[i] != MaskAction::none) == chosen.contains(words[i]));
  }
  CHECK(choose_masked(std::vector<std::int32_t>{-1, -1}, 0.5, random) == std::vector<MaskAction>(2, MaskAction::none));
}

TEST_CASE("a pair of sentences that does not fit is refused") {
  const std::vector<std::int32_t> a{5, 6}, b{7};
  CHECK(join_sentences(a, b, 1, 2, 0, 6).ids == std::vector<std::int32_t>{1, 5, 6, 2, 7, 2});
  CHECK_THROWS_WITH_AS(join_sentences(a, b, 1, 2, 0, 5), "a pair of sentences: 6 tokens, at most 5 expected", Error);
}

TEST_CASE("random spans cover the share asked for, are as long as asked for on average, and leave the first token") {
  Random random(3);
  double covered = 0, spans = 0;
  for (int round = 0; round < 300; ++round) {
    std::int64_t end = 0;
    for (const TokenSpan& span : choose_spans(500, 0.15, 3, random)) {
      CHECK(span.start > end);  // something stands between two spans, and before the first
      CHECK(span.length > 0);
      end = span.start + span.length;
      covered += double(span.length);
      ++spans;
    }
    CHECK(end == 500);  // T5's mask ends with a span
  }
  CHECK(covered / (300 * 500) == doctest::Approx(0.15));
  CHECK(covered / spans == doctest::Approx(3));
  CHECK(choose_spans(1, 0.15, 3, random).empty());
  CHECK(choose_spans(2, 0.15, 3, random) == std::vector<TokenSpan>{{1, 1}});
}

TEST_CASE("sentences without a last stop, and documents of no sentence, stay whole") {
  const std::vector<std::int32_t> ids{0, 5, 7, 6, 2};
  CHECK(count_sentences(ids, 7) == 2);
  CHECK(permute_sentences(ids, std::vector<std::int64_t>{1, 0}, 7) == std::vector<std::int32_t>{0, 6, 5, 7, 2});
  CHECK(count_sentences(std::vector<std::int32_t>{0, 2}, 7) == 0);
  CHECK_THROWS_AS(permute_sentences(ids, std::vector<std::int64_t>{0}, 7), Error);
}

TEST_CASE("targets of no token, and streams shorter than a block, give nothing") {
  CHECK(shift_right(std::vector<std::int32_t>{}, 3).empty());
  CHECK(shift_right(std::vector<std::int32_t>{8}, 3) == std::vector<std::int32_t>{3});
  CHECK(cut_stream(std::vector<std::int32_t>{}, 4).rows == 0);
  CHECK(cut_stream(std::vector<std::int32_t>{1, 2, 3, 4}, 4).rows == 0);  // the last one has no next
  CHECK(cut_stream(std::vector<std::int32_t>{1, 2, 3, 4, 5}, 4).labels == std::vector<std::int32_t>{2, 3, 4, 5});
}

TEST_CASE("a shuffle gives every order the same chance") {
  Random random(4);
  int first[4] = {};
  for (int round = 0; round < 4000; ++round) {
    std::vector<int> items{0, 1, 2, 3};
    shuffle(items, random);
    ++first[items[0]];
  }
  for (const int count : first) CHECK(std::abs(count - 1000) < 120);  // 4 deviations
}
