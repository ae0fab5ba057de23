#include "decoding/beam_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/random.h"
#include "support.h"

using namespace webformer;

namespace {

using Ids = std::vector<std::int32_t>;
using Table = std::function<std::vector<float>(const Ids& ids)>;  // log-probabilities of the next token
constexpr std::int32_t eos = 0;

GenerationConfig beams(std::int64_t num_beams, double length_penalty = 1, EarlyStopping early_stopping = EarlyStopping::no) {
  GenerationConfig config;
  config.num_beams = num_beams;
  config.length_penalty = length_penalty;
  config.early_stopping = early_stopping;
  config.eos_token_id = {eos};
  return config;
}

struct Outcome {
  std::vector<Hypothesis> finished;
  int steps = 0;
};

/// Runs a search from the prompt {9} over a made-up model.
Outcome search(const GenerationConfig& config, std::int64_t max_length, const Table& table) {
  BeamSearch search(config, {9}, max_length);
  Outcome outcome;
  while (!search.done()) {
    std::vector<std::vector<float>> rows;
    for (const Beam& beam : search.live()) rows.push_back(table(beam.ids));
    std::vector<BeamScores> scores;
    for (std::size_t i = 0; i < rows.size(); ++i) scores.push_back({search.live()[i].score, rows[i]});
    const std::vector<Continuation> best = best_continuations(scores, search.continuations());
    std::vector<std::optional<FinishReason>> ends;
    for (const Continuation& one : best) {
      const auto length = std::int64_t(search.live()[std::size_t(one.beam)].ids.size()) + 1;
      std::optional<FinishReason>& end = ends.emplace_back();
      if (length == max_length) end = FinishReason::length;
      if (one.id == eos) end = FinishReason::eos;
    }
    search.advance(best, ends);
    ++outcome.steps;
  }
  outcome.finished = search.finished();
  return outcome;
}

std::vector<float> logs(std::initializer_list<double> probabilities) {
  std::vector<float> scores;
  for (const double p : probabilities) scores.push_back(p > 0 ? float(std::log(p)) : minus_infinity);
  return scores;
}

}  // namespace

TEST_CASE("two beams find the likelier sequence that the greedy path misses") {
  // 1 is likelier than 2 at first, but after 2 the end is certain
  const Table table = [](const Ids& ids) {
    if (ids.back() == 9) return logs({0, 0.6, 0.4});
    return ids.back() == 1 ? logs({0.3, 0.3, 0.4}) : logs({1, 0, 0});
  };
  CHECK(search(beams(1, 0), 4, table).finished[0].ids == Ids{9, 1, 2, 0});
  const Hypothesis best = search(beams(2, 0), 4, table).finished[0];
  CHECK(best.ids == Ids{9, 2, 0});
  CHECK(best.score == doctest::Approx(std::log(0.4)));
  CHECK(best.reason == FinishReason::eos);
}

TEST_CASE("a hypothesis scores log-probability / (tokens made)^length_penalty, the end of sequence counted and the prompt not") {
  // either the end at once, or 1 1 1 and then the end
  const Table table = [](const Ids& ids) { return ids.size() == 1 ? logs({0.5, 0.5}) : ids.size() < 4 ? logs({0, 1}) : logs({1, 0}); };
  const auto score = [&](double penalty, std::size_t rank) {
    return search(beams(2, penalty, EarlyStopping::never), 9, table).finished[rank];
  };
  CHECK(score(0, 0).score == doctest::Approx(std::log(0.5)));
  CHECK(score(1, 0).ids == Ids{9, 1, 1, 1, 0});
  CHECK(score(1, 0).score == doctest::Approx(std::log(0.5) / 4));
  CHECK(score(1, 1).score == doctest::Approx(std::log(0.5)));
  CHECK(score(-1, 0).ids == Ids{9, 0});
  CHECK(score(-1, 1).score == doctest::Approx(std::log(0.5) * 4));
}

TEST_CASE("a score of 0 is a score of 0 under any penalty, and none is not a number") {
  CHECK(hypothesis_score(0, 5, -1e300) == 0);
  CHECK(hypothesis_score(-1, 5, -1e300) == -std::numeric_limits<double>::infinity());
  CHECK(hypothesis_score(-1, 5, 1e300) == 0);
  CHECK(hypothesis_score(-3, 4, 0.5) == -1.5);
}

TEST_CASE("early_stopping: yes ends with the first num_beams hypotheses, no goes on while a live beam scores better") {
  // Each step ends (0.2) or goes on with 1 (0.7) or 2 (0.1).
  const Table table = [](const Ids&) { return logs({0.2, 0.7, 0.1}); };
  const Outcome yes = search(beams(2, 1, EarlyStopping::yes), 12, table);
  CHECK(yes.steps == 2);  // 9 0 in the first, 9 1 0 in the second
  CHECK(yes.finished[0].ids == Ids{9, 1, 0});
  CHECK(yes.finished[1].ids == Ids{9, 0});
  const Outcome no = search(beams(2, 1, EarlyStopping::no), 12, table);
  CHECK(no.steps == 11);  // the live beam's mean, log 0.7, beats every hypothesis that ended
  CHECK(no.finished[0].ids == Ids{9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(no.finished[0].reason == FinishReason::length);
  // Without a penalty sums only fall: 9 0 has log 0.2 = -1.61 and 9 1 0 log 0.14 = -1.97; 5 log 0.7 = -1.78, 6 log 0.7 = -2.14.
  const Outcome sums = search(beams(2, 0, EarlyStopping::no), 12, table);
  CHECK(sums.steps == 6);
  CHECK(sums.finished[0].ids == Ids{9, 0});
  CHECK(sums.finished[1].ids == Ids{9, 1, 0});
}

TEST_CASE("early_stopping: never judges a live beam by the greatest length it may reach, no by the one that it has") {
  const Table table = [](const Ids& ids) {
    if (ids.size() == 1) return logs({0.5, 0.3, 0.2});
    if (ids.back() == 2) return logs({1, 0, 0});
    return ids.size() == 2 ? logs({0.4, 0.6, 0}) : logs({0, 1, 0});
  };
  // After two steps 9 0 has log(0.5) = -0.693 and 9 2 0 log(0.2) / 2 = -0.805. The live beam 9 1 1 has log(0.18) / 2 = -0.857 now,
  // which is worse than both, and as its next tokens are certain, log(0.18) / 7 = -0.245 with seven.
  const Outcome no = search(beams(2, 1, EarlyStopping::no), 8, table);
  CHECK(no.steps == 2);
  CHECK(no.finished[0].ids == Ids{9, 0});
  CHECK(no.finished[1].ids == Ids{9, 2, 0});
  const Outcome never = search(beams(2, 1, EarlyStopping::never), 8, table);
  CHECK(never.steps == 7);
  CHECK(never.finished[0].ids == Ids{9, 1, 1, 1, 1, 1, 1, 1});
  CHECK(never.finished[0].score == doctest::Approx(std::log(0.18) / 7));
  CHECK(never.finished[1].ids == Ids{9, 0});
  CHECK(search(beams(2, 0, EarlyStopping::never), 8, table).steps == 2);  // sums never rise: log(0.18) is below log(0.2)
}

TEST_CASE("early_stopping: never judges by the present length where the penalty is negative, since shorter is better then") {
  // Penalty -1: the score is log-probability times tokens. 9 0 has log(0.2) = -1.61, 9 1 0 has 2 log(0.6 * 0.3) = -3.43. The live beam
  // 9 1 1 has 2 log(0.6 * 0.7) = -1.73 now and would have seven times that log, -6.07, with seven tokens.
  const Table table = [](const Ids& ids) {
    if (ids.size() == 1) return logs({0.2, 0.6, 0.2});
    return ids.size() == 2 ? logs({0.3, 0.7, 0}) : logs({1, 0, 0});
  };
  const Outcome never = search(beams(2, -1, EarlyStopping::never), 8, table);
  CHECK(never.steps == 3);
  CHECK(never.finished[1].ids == Ids{9, 1, 1, 0});  // 3 log(0.42) = -2.60
}

TEST_CASE("a continuation that ranks below num_beams completes nothing, though it ends") {
  // One beam of two continuations: 1 goes on (0.7), the end (0.3) ranks second
  const Table table = [](const Ids& ids) { return ids.size() < 3 ? logs({0.3, 0.7}) : logs({0.9, 0.1}); };
  const Outcome outcome = search(beams(1, 1), 9, table);
  REQUIRE(outcome.finished.size() == 1);
  CHECK(outcome.finished[0].ids == Ids{9, 1, 1, 0});
}

TEST_CASE("each end-of-sequence token asks for num_beams more continuations") {
  GenerationConfig config = beams(3);
  CHECK(BeamSearch(config, {9}, 5).continuations() == 6);
  config.eos_token_id = {0, 1, 2};
  CHECK(BeamSearch(config, {9}, 5).continuations() == 12);
  config.eos_token_id = {};
  CHECK(BeamSearch(config, {9}, 5).continuations() == 6);
}

TEST_CASE("advance names the continuations that beams are, and those that became hypotheses") {
  BeamSearch search(beams(2), {9, 8}, 10);
  const std::vector<Continuation> best{{0, 3, -1}, {0, eos, -2}, {0, 5, -3}, {0, 6, -4}};
  const std::vector<std::optional<FinishReason>> ends{std::nullopt, FinishReason::eos, std::nullopt, std::nullopt};
  CHECK(search.advance(best, ends) == std::vector<std::size_t>{1});
  REQUIRE(search.live().size() == 2);
  CHECK(search.live()[0].continuation == 0);
  CHECK(search.live()[1].continuation == 2);
  CHECK(search.live()[1].ids == Ids{9, 8, 5});
  CHECK(search.live()[1].score == -3);
  CHECK(search.finished()[0].score == -2);  // one token was made
  CHECK(search.leader() == Ids{9, 8, 3});   // -1 for one token
  CHECK_FALSE(search.done());
}

TEST_CASE("what leads is the best live beam, or the best hypothesis where that scores higher at the present lengths") {
  BeamSearch search(beams(2), {9}, 10);
  search.advance(std::vector<Continuation>{{0, eos, -1}, {0, 3, -1.5}, {0, 4, -2}},
                 std::vector<std::optional<FinishReason>>{FinishReason::eos, std::nullopt, std::nullopt});
  CHECK(search.leader() == Ids{9, 0});
  search.advance(std::vector<Continuation>{{0, 5, -1.75}, {1, 5, -2}}, std::vector<std::optional<FinishReason>>(2));
  CHECK(search.leader() == Ids{9, 3, 5});  // -1.75 / 2 is above -1
}

TEST_CASE("with as many beams as there are prefixes, the search is exhaustive") {
  // Random tables over two tokens and the end; all sequences of up to 4 tokens, ranked by score, are the right answer.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Table table = [&](const Ids& ids) {
      std::uint64_t key = seed;
      for (const std::int32_t id : ids) key = key * 31 + std::uint64_t(id);
      Random random(key);
      double p[3] = {random.uniform() + 0.05, random.uniform() + 0.05, random.uniform() + 0.05};
      const double sum = p[0] + p[1] + p[2];
      return logs({p[0] / sum, p[1] / sum, p[2] / sum});
    };
    const double penalty = 0.25 * double(seed % 7) - 0.5;
    std::vector<Hypothesis> all;
    const std::function<void(Ids, double)> visit = [&](Ids ids, double sum) {
      if (ids.size() > 1 && (ids.back() == eos || ids.size() == 5)) {
        all.push_back({ids, sum / std::pow(double(ids.size() - 1), penalty)});
        return;
      }
      const std::vector<float> next = table(ids);
      for (std::int32_t id = 0; id < 3; ++id) {
        Ids longer = ids;
        longer.push_back(id);
        visit(longer, sum + next[std::size_t(id)]);
      }
    };
    visit({9}, 0);
    std::ranges::sort(all, std::greater(), &Hypothesis::score);
    const Outcome outcome = search(beams(40, penalty, EarlyStopping::never), 5, table);
    REQUIRE(all.size() == 1 + 2 + 4 + 8 * 3);
    REQUIRE(outcome.finished.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(outcome.finished[i].ids == all[i].ids);
      CHECK(outcome.finished[i].score == doctest::Approx(all[i].score));
    }
  }
}
