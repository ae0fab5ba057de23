#include <doctest/doctest.h>

#include <set>

#include "table_model.h"

using namespace webformer;

namespace {

using Ids = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("a seed repeats its text whatever stands beside it, and without a seed the entropy decides") {
  std::vector<std::vector<float>> flat(8, std::vector<float>(8, 0));
  Session session(table_model(flat));
  GenerationConfig config;
  config.do_sample = true;
  config.max_new_tokens = 30;
  config.seed = 7;
  const Ids first = run_generation(session, request_of({{5}}, config)).result.sequences[0];
  CHECK(run_generation(session, request_of({{5}}, config)).result.sequences[0] == first);
  const Generated batch = run_generation(session, request_of({{3, 3}, {5}}, config));
  CHECK(batch.result.sequences[1] == first);
  config.seed = 8;
  CHECK(run_generation(session, request_of({{5}}, config)).result.sequences[0] != first);
  config.seed.reset();
  const Generated free = run_generation(session, request_of({{5}, {5}}, config));
  CHECK(free.result.sequences[0] != free.result.sequences[1]);
  CHECK(free.result.sequences == run_generation(session, request_of({{5}, {5}}, config)).result.sequences);
  CHECK(run_generation(session, {{{5}}, {}, config, 99}).result.sequences[0] != free.result.sequences[0]);
}

TEST_CASE("num_return_sequences draws that many different sequences of each prompt, the first as it would be alone") {
  Session session(table_model(std::vector<std::vector<float>>(8, std::vector<float>(8, 0))));
  GenerationConfig config;
  config.do_sample = true;
  config.max_new_tokens = 12;
  config.seed = 3;
  const Ids alone = run_generation(session, request_of({{5}}, config)).result.sequences[0];
  config.num_return_sequences = 4;
  const Generated made = run_generation(session, request_of({{5}, {6, 2}}, config));
  REQUIRE(made.result.sequences.size() == 8);
  CHECK(made.result.sequences[0] == alone);
  CHECK(std::set<Ids>(made.result.sequences.begin(), made.result.sequences.end()).size() == 8);
  for (std::int64_t i = 0; i < 8; ++i) {
    const Ids& sequence = made.result.sequences[std::size_t(i)];
    const std::ptrdiff_t prompt = i < 4 ? 1 : 2;
    CHECK(Ids(sequence.begin() + prompt, sequence.end()) == streamed(made, i));
  }
  CHECK(all_released(session));
}

TEST_CASE("temperature 0 is greedy, next to 0 nearly so, and a draw follows the temperature") {
  Session session(table_model(counting_logits()));
  GenerationConfig config = ending_at_zero();
  config.do_sample = true;
  config.seed = 1;
  for (const double temperature : {0.0, 1e-9, 1e-300}) {
    config.temperature = temperature;
    CHECK(run_generation(session, request_of({{3}}, config)).result.sequences[0] == Ids{3, 4, 5, 6, 7, 0});
    config.num_beams = 2;
    CHECK(run_generation(session, request_of({{3}}, config)).result.sequences[0] == Ids{3, 4, 5, 6, 7, 0});
    config.num_beams = 1;
  }
  config.temperature = 50;
  config.top_k = 0;
  config.max_new_tokens = 60;
  config.eos_token_id = {};
  const Ids hot = run_generation(session, request_of({{3}}, config)).result.sequences[0];
  CHECK(std::set<std::int32_t>(hot.begin(), hot.end()).size() == 8);
}
