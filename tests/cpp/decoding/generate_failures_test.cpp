#include <doctest/doctest.h>

#include "allocations.h"
#include "support.h"
#include "table_model.h"

using namespace webformer;

namespace {

using Ids = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("settings that forbid every token are numeric_error, and the session stays usable") {
  Session session(table_model(counting_logits()));
  for (const std::int64_t beams : {1, 2}) {
    GenerationConfig config = ending_at_zero();
    config.num_beams = beams;
    config.no_repeat_ngram_size = 1;  // after 3 4 5 6 7 0 1 2 nothing is left
    config.eos_token_id = {};
    CHECK(message_of([&] { run_generation(session, request_of({{3}}, config)); }).starts_with("numeric_error: the next token"));
    CHECK(all_released(session));
    CHECK(run_generation(session, request_of({{6}}, ending_at_zero())).result.sequences[0] == Ids{6, 7, 0});
  }
}

TEST_CASE("settings are checked before anything is read") {
  Session session(table_model(counting_logits()));
  GenerationConfig config = ending_at_zero();
  config.top_p = 2;
  CHECK(message_of([&] { run_generation(session, request_of({{1}}, config)); }) == "invalid_argument: topP: 2 found, 0 to 1 expected");
  config = ending_at_zero();
  config.eos_token_id = {8};
  CHECK(message_of([&] { run_generation(session, request_of({{1}}, config)); }) ==
        "invalid_argument: eosTokenId: 8 found, 0 to 7 expected");
  CHECK(message_of([&] { run_generation(session, request_of({{1, 8}}, ending_at_zero())); }).starts_with("invalid_argument: token id 8"));
  CHECK(message_of([&] { run_generation(session, request_of({{-1}}, ending_at_zero())); }).starts_with("invalid_argument: token id -1"));
  CHECK(all_released(session));
}

TEST_CASE("an abandoned generation releases its sequences, wherever it stands") {
  Session session(table_model(counting_logits()));
  for (const std::int64_t beams : {1, 3}) {
    for (int steps = 0; steps < 4; ++steps) {
      GenerationConfig config = ending_at_zero();
      config.num_beams = beams;
      GenerationSink sink;
      Schedule schedule;
      {
        Job<GenerationResult> job(schedule, generate(session, nullptr, request_of({{1}, {2, 2}}, config), sink, schedule));
        for (int i = 0; i < steps; ++i) REQUIRE_FALSE(job.step());
      }
      CHECK(all_released(session));
    }
  }
  CHECK(run_generation(session, request_of({{6}}, ending_at_zero())).result.sequences[0] == Ids{6, 7, 0});
}

TEST_CASE("when an allocation fails, the generation fails alone") {
  Session session(table_model(counting_logits()));
  for (const std::int64_t beams : {1, 2}) {
    GenerationConfig config = ending_at_zero();
    config.num_beams = beams;
    config.stop_strings = {};
    config.return_beams = config.return_scores = true;
    config.top_candidates = 2;
    const std::size_t failures = refuse_each_allocation([&] { run_generation(session, request_of({{4}, {6, 6}}, config)); });
    CHECK(failures > 20);
    CHECK(all_released(session));
    CHECK(run_generation(session, request_of({{6}}, ending_at_zero())).result.sequences[0] == Ids{6, 7, 0});
  }
}
