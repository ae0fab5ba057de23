#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "table_model.h"

using namespace webformer;

namespace {

using Ids = std::vector<std::int32_t>;
constexpr std::int32_t eos = 0;

}  // namespace

TEST_CASE("beam search finds what the greedy path misses, and returns hypotheses in order with their scores") {
  // From 1: 2 (0.6) or 3 (0.4). After 2 three ways (1/3 each), after 3 the end (nearly 1).
  std::vector<std::vector<float>> table(4, std::vector<float>(4, -20));
  table[1] = {-20, -20, std::log(0.6f), std::log(0.4f)};
  table[2] = {0, 0, 0, -20};
  table[3] = {0, -20, -20, -20};
  Session session(table_model(table));
  GenerationConfig config = ending_at_zero();
  config.length_penalty = 0;
  config.return_scores = true;
  CHECK(run_generation(session, request_of({{1}}, config)).result.sequences[0] == Ids{1, 2, 0});
  config.num_beams = 2;
  config.num_return_sequences = 2;
  const Generated made = run_generation(session, request_of({{1}}, config));
  CHECK(made.result.sequences[0] == Ids{1, 3, 0});
  CHECK(made.result.scores[0] == doctest::Approx(std::log(0.4)));
  CHECK(made.result.sequences[1] == Ids{1, 2, 0});
  CHECK(made.result.scores[1] == doctest::Approx(std::log(0.2)));
  CHECK(made.result.finish_reasons[1] == FinishReason::eos);
  CHECK(all_released(session));
}

TEST_CASE("with beams, items carry what all that may win agree on, and joined they are the sequence") {
  Session session(table_model(counting_logits()));
  GenerationConfig config;
  config.max_new_tokens = 20;
  config.num_beams = 3;
  config.num_return_sequences = 2;
  const Generated made = run_generation(session, request_of({{3}, {4, 5}}, config));
  for (std::int64_t i = 0; i < 4; ++i) {
    Ids whole = i < 2 ? Ids{3} : Ids{4, 5};
    const Ids rest = streamed(made, i);
    whole.insert(whole.end(), rest.begin(), rest.end());
    CHECK(whole == made.result.sequences[std::size_t(i)]);
  }
  const auto early = std::ranges::count_if(made.items, [](const GenerationItem& item) { return item.index == 0 && !item.ids.empty(); });
  CHECK(early > 1);  // not everything comes at the end
}

TEST_CASE("return_beams gives a tree whose leaves spell the sequences, with their scores") {
  Session session(table_model(counting_logits()));
  for (const std::int64_t beams : {1, 3}) {
    GenerationConfig config = ending_at_zero();
    config.num_beams = beams;
    config.length_penalty = 0;
    config.return_beams = config.return_scores = true;
    const GenerationResult result = run_generation(session, request_of({{3}, {6}}, config)).result;
    for (std::size_t i = 0; i < 2; ++i) {
      bool found = false;
      for (const BeamStep& leaf : result.beams) {
        Ids path;
        for (const BeamStep* at = &leaf;; at = &result.beams[std::size_t(at->parent)]) {
          path.insert(path.begin(), at->id);
          CHECK(at->step == std::int64_t(leaf.step) - std::int64_t(path.size()) + 1);
          if (at->parent < 0) break;
        }
        path.insert(path.begin(), i == 0 ? 3 : 6);
        found |= path == result.sequences[i] && std::abs(leaf.score - result.scores[i]) < 1e-9;
      }
      CHECK(found);
    }
  }
}

TEST_CASE("where a forced token leaves fewer hypotheses than were asked for, the last stands for the others") {
  Session session(table_model(counting_logits()));
  GenerationConfig config = ending_at_zero();
  config.forced_eos_token_id = {eos};
  config.max_new_tokens = 1;
  config.num_beams = config.num_return_sequences = 3;
  CHECK(run_generation(session, request_of({{1}}, config)).result.sequences == std::vector<Ids>(3, Ids{1, 0}));
}
