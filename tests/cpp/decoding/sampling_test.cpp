#include "decoding/sampling.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "support.h"

using namespace webformer;

namespace {

std::vector<float> logs(std::initializer_list<double> probabilities) {
  std::vector<float> scores;
  for (const double p : probabilities) scores.push_back(float(std::log(p)));
  return scores;
}

}  // namespace

TEST_CASE("the best token is the first of equals") {
  CHECK(best_token(std::vector<float>{1, 5, 3, 5, 3, 0}) == 1);
  CHECK(best_token(std::vector<float>{2, 2, 2}) == 0);
  CHECK(best_token(std::vector<float>{minus_infinity, -1e30f}) == 1);
}

TEST_CASE("where every token is forbidden, or a score is no number, that is numeric_error and not token 0") {
  const std::vector<float> none(3, minus_infinity);
  const std::vector<float> broken{0, std::nanf(""), 1}, infinite{0, -minus_infinity};
  CHECK(message_of([&] { best_token(none); }).starts_with("numeric_error: the next token"));
  CHECK(message_of([&] { draw_token(none, 0.5); }).starts_with("numeric_error: the next token"));
  CHECK(message_of([&] { best_token(std::vector<float>{}); }).starts_with("numeric_error"));
  CHECK(message_of([&] { draw_token(broken, 0.5); }) == "numeric_error: the score of token 1: NaN found, a finite number expected");
  CHECK(message_of([&] { best_token(infinite); }) == "numeric_error: the score of token 1: Infinity found, a finite number expected");
  const std::vector<BeamScores> beams{{0, none}, {-1, none}};
  CHECK(message_of([&] { best_continuations(beams, 4); }).starts_with("numeric_error: the next token"));
  Random random(1);
  CHECK(message_of([&] { draw_continuations(beams, 4, random); }).starts_with("numeric_error: the next token"));
  const std::vector<BeamScores> wrong{{0, broken}};
  CHECK(message_of([&] { best_continuations(wrong, 4); }).starts_with("numeric_error: the score of token 1"));
}

TEST_CASE("a draw is the number of cumulative probabilities that the uniform number reaches") {
  const std::vector<float> scores = logs({0.25, 0.5, 0.25});
  CHECK(draw_token(scores, 0) == 0);
  CHECK(draw_token(scores, 0.2499) == 0);
  CHECK(draw_token(scores, 0.2501) == 1);
  CHECK(draw_token(scores, 0.7499) == 1);
  CHECK(draw_token(scores, 0.7501) == 2);
  CHECK(draw_token(scores, 1 - 0x1p-53) == 2);
  const std::vector<float> gaps{minus_infinity, 0, minus_infinity, 0, minus_infinity};
  CHECK(draw_token(gaps, 0) == 1);
  CHECK(draw_token(gaps, 0.5) == 3);
  CHECK(draw_token(gaps, 1 - 0x1p-53) == 3);
}

TEST_CASE("draws follow the probabilities") {
  const std::vector<float> scores = logs({0.1, 0.2, 0.7});
  Random random(5);
  std::vector<int> counts(3);
  for (int i = 0; i < 20000; ++i) ++counts[std::size_t(draw_token(scores, random.uniform()))];
  CHECK(counts[0] == doctest::Approx(2000).epsilon(0.1));  // the deviation is 42
  CHECK(counts[1] == doctest::Approx(4000).epsilon(0.06));
  CHECK(counts[2] == doctest::Approx(14000).epsilon(0.02));
}

TEST_CASE("the first sequence of a prompt draws from Random(seed), the others from others") {
  CHECK(random_of(7, 0).next() == Random(7).next());
  std::set<std::uint32_t> first;
  for (std::uint64_t i = 0; i < 100; ++i) first.insert(random_of(7, i).next());
  CHECK(first.size() == 100);
  CHECK(random_of(7, 3).next() == random_of(7, 3).next());
}

TEST_CASE("log_probability is that of the softmax") {
  CHECK(log_probability(std::vector<float>{1, 1, minus_infinity, 1}, 3) == doctest::Approx(std::log(1 / 3.0)));
  CHECK(log_probability(std::vector<float>{1000, 0}, 1) == doctest::Approx(-1000));
}

TEST_CASE("the likeliest tokens come with their probabilities, equals in the order of ids, impossible ones not at all") {
  const std::vector<TokenProbability> best = likeliest(std::vector<float>{0, 1, minus_infinity, 1}, 9);
  REQUIRE(best.size() == 3);
  CHECK(best[0].id == 1);
  CHECK(best[1].id == 3);
  CHECK(best[2].id == 0);
  CHECK(best[0].probability == doctest::Approx(std::exp(1) / (1 + 2 * std::exp(1))));
  CHECK(best[2].probability == doctest::Approx(1 / (1 + 2 * std::exp(1))));
  CHECK(likeliest(std::vector<float>{0, 1, 2}, 2).size() == 2);
}

TEST_CASE("the best continuations are over all beams, equals in the order of beams and ids") {
  const std::vector<float> first{-1, -3, -2, minus_infinity}, second{-1, -1, -4, -9};
  const std::vector<BeamScores> beams{{-1, first}, {-2, second}};
  const std::vector<Continuation> best = best_continuations(beams, 5);
  // totals: -2, -4, -3, none; -3, -3, -6, -11
  REQUIRE(best.size() == 5);
  const std::vector<std::pair<int, int>> expected{{0, 0}, {0, 2}, {1, 0}, {1, 1}, {0, 1}};
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::pair(best[i].beam, int(best[i].id)) == expected[i]);
  CHECK(best[0].score == -2);
  CHECK(best[4].score == -4);
  CHECK(best_continuations(beams, 99).size() == 7);
}

TEST_CASE("drawn continuations differ from each other, come best first, and follow the seed") {
  const std::vector<float> first{-1, -3, -2, minus_infinity}, second{-1, -1, -4, -9};
  const std::vector<BeamScores> beams{{-1, first}, {-2, second}};
  Random random(3), again(3);
  for (int round = 0; round < 50; ++round) {
    const std::vector<Continuation> drawn = draw_continuations(beams, 4, random), same = draw_continuations(beams, 4, again);
    REQUIRE(drawn.size() == 4);
    std::set<std::pair<int, int>> distinct;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      distinct.insert({drawn[i].beam, drawn[i].id});
      CHECK(std::pair(drawn[i].beam, drawn[i].id) == std::pair(same[i].beam, same[i].id));
      if (i > 0) CHECK(drawn[i - 1].score >= drawn[i].score);
    }
    CHECK(distinct.size() == 4);
  }
}

TEST_CASE("the first drawn continuation follows the softmax over all totals") {
  const std::vector<float> first = logs({0.5, 0.5}), second = logs({0.5, 0.5});
  const std::vector<BeamScores> beams{{std::log(0.8), first}, {std::log(0.2), second}};
  Random random(11);
  int of_first = 0;
  for (int i = 0; i < 10000; ++i) of_first += draw_continuations(beams, 1, random)[0].beam == 0;
  CHECK(of_first == doctest::Approx(8000).epsilon(0.02));  // the deviation is 40
}

TEST_CASE("where only one continuation has any probability, the best of the others follow it") {
  const std::vector<float> scores{-1e9f, 0, -2e9f, -1e9f};
  Random random(1);
  const std::vector<Continuation> drawn = draw_continuations(std::vector<BeamScores>{{0, scores}}, 3, random);
  REQUIRE(drawn.size() == 3);
  CHECK(drawn[0].id == 1);
  CHECK(drawn[1].id == 0);
  CHECK(drawn[2].id == 3);
}
