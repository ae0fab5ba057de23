#include <doctest/doctest.h>

#include <cmath>

#include "support.h"
#include "table_model.h"

using namespace webformer;

namespace {

using Ids = std::vector<std::int32_t>;
constexpr std::int32_t eos = 0;

double log_softmax_at(const std::vector<float>& logits, std::size_t id) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(double(x));
  return logits[id] - std::log(sum);
}

}  // namespace

TEST_CASE("greedy decoding follows the best token to the end of sequence, and streams one token a step") {
  Session session(table_model(counting_logits()));
  const Generated made = run_generation(session, request_of({{5, 3}}, ending_at_zero()));
  CHECK(made.result.sequences == std::vector<Ids>{{5, 3, 4, 5, 6, 7, 0}});
  CHECK(made.result.finish_reasons == std::vector<FinishReason>{FinishReason::eos});
  CHECK(made.result.texts == std::vector<std::string>{""});
  CHECK(made.result.scores.empty());
  CHECK(made.result.usage.prompt_tokens == 2);
  CHECK(made.result.usage.new_tokens == 5);
  REQUIRE(made.items.size() == 5);
  for (const GenerationItem& item : made.items) CHECK(item.ids.size() == 1);
  CHECK(streamed(made, 0) == Ids{4, 5, 6, 7, 0});
  CHECK(all_released(session));
}

TEST_CASE("among equal logits the lowest id comes") {
  Session session(table_model(std::vector<std::vector<float>>(8, std::vector<float>(8, 1))));
  GenerationConfig config;
  config.max_new_tokens = 2;
  CHECK(run_generation(session, request_of({{5}}, config)).result.sequences[0] == Ids{5, 0, 0});
  config.suppress_tokens = {0, 1};
  CHECK(run_generation(session, request_of({{5}}, config)).result.sequences[0] == Ids{5, 2, 2});
  config.num_beams = 2;
  CHECK(run_generation(session, request_of({{5}}, config)).result.sequences[0] == Ids{5, 2, 2});
}

TEST_CASE("max_new_tokens 0 makes nothing, and nothing is read") {
  Session session(table_model(counting_logits()));
  for (const std::int64_t beams : {1, 2}) {
    GenerationConfig config = ending_at_zero();
    config.max_new_tokens = 0;
    config.num_beams = beams;
    config.return_scores = true;
    const Generated made = run_generation(session, request_of({{5, 3}}, config));
    CHECK(made.result.sequences == std::vector<Ids>{{5, 3}});
    CHECK(made.result.finish_reasons == std::vector<FinishReason>{FinishReason::length});
    CHECK(made.result.scores == std::vector<double>{0});
    CHECK(made.items.empty());
  }
}

TEST_CASE("without a bound twenty tokens are made; max_length counts the prompt, and max_new_tokens wins over it") {
  Session session(table_model(counting_logits()));
  GenerationConfig config;
  CHECK(run_generation(session, request_of({{5, 3}}, config)).result.sequences[0].size() == 22);
  config.max_length = 6;
  const Generated made = run_generation(session, request_of({{5, 3}}, config));
  CHECK(made.result.sequences[0] == Ids{5, 3, 4, 5, 6, 7});
  CHECK(made.result.finish_reasons[0] == FinishReason::length);
  config.max_new_tokens = 1;
  CHECK(run_generation(session, request_of({{5, 3}}, config)).result.sequences[0] == Ids{5, 3, 4});
  config.max_new_tokens.reset();
  config.max_length = 2;
  CHECK(message_of([&] { run_generation(session, request_of({{5, 3}}, config)); }) ==
        "invalid_argument: maxLength: 2 found, more than the 2 tokens of the prompt expected (or maxNewTokens)");
}

TEST_CASE("generation ends with the context, and a longer prompt is context_full with both numbers") {
  Session session(table_model(counting_logits(), 6));
  GenerationConfig config;
  config.max_new_tokens = 100;
  const Generated made = run_generation(session, request_of({{1, 2, 3}, {1, 2, 3, 4, 5, 6}}, config));
  CHECK(made.result.sequences == std::vector<Ids>{{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}});
  CHECK(made.result.finish_reasons[0] == FinishReason::length);
  CHECK(message_of([&] { run_generation(session, request_of({{1}, {1, 2, 3, 4, 5, 6, 7}}, config)); }) ==
        "context_full: prompt 1: 7 tokens, the context has 6");
}

TEST_CASE("a prompt without tokens begins with bos_token_id, and is refused where there is none") {
  Session session(table_model(counting_logits()));
  GenerationConfig config = ending_at_zero();
  CHECK(message_of([&] { run_generation(session, request_of({{}}, config)); }) ==
        "invalid_argument: the prompt: 0 tokens found, at least 1 expected (there is no bosTokenId)");
  config.bos_token_id = 6;
  CHECK(run_generation(session, request_of({{}}, config)).result.sequences[0] == Ids{6, 7, 0});
  CHECK(run_generation(session, request_of({}, config)).result.sequences.empty());
}

TEST_CASE("prompts of different lengths get what each gets alone, and those that end leave the batch") {
  Session session(table_model(counting_logits()));
  GenerationConfig config = ending_at_zero();
  for (const std::int64_t beams : {1, 3}) {
    config.num_beams = beams;
    config.return_scores = true;
    const std::vector<Ids> prompts{{6}, {1, 1, 1, 2}, {3, 5}};
    const Generated together = run_generation(session, request_of(prompts, config));
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const Generated alone = run_generation(session, request_of({prompts[i]}, config));
      CHECK(together.result.sequences[i] == alone.result.sequences[0]);
      CHECK(together.result.scores[i] == doctest::Approx(alone.result.scores[0]).epsilon(1e-5));
      CHECK(streamed(together, std::int64_t(i)) == streamed(alone, 0));
    }
    CHECK(together.result.usage.prompt_tokens == 7);
  }
}

TEST_CASE("scores without beams are those that a beam search of one beam has") {
  const auto table = counting_logits();
  Session session(table_model(table));
  GenerationConfig config = ending_at_zero();
  config.return_scores = true;
  config.length_penalty = 0.5;
  const Generated made = run_generation(session, request_of({{5}}, config));
  const double sum = log_softmax_at(table[5], 6) + log_softmax_at(table[6], 7) + log_softmax_at(table[7], 0);
  REQUIRE(made.result.scores.size() == 1);
  CHECK(made.result.scores[0] == doctest::Approx(sum / std::sqrt(3)));
}

TEST_CASE("top_candidates come with each item: the likeliest after all processors") {
  const auto table = counting_logits();
  Session session(table_model(table));
  GenerationConfig config = ending_at_zero();
  config.top_candidates = 2;
  config.max_new_tokens = 3;
  const Generated made = run_generation(session, request_of({{1}}, config));
  REQUIRE(made.items.size() == 3);
  REQUIRE(made.items[0].candidates.size() == 2);
  CHECK(made.items[0].candidates[0].id == 2);
  CHECK(made.items[0].candidates[0].probability == doctest::Approx(std::exp(log_softmax_at(table[1], 2))));
  CHECK(made.items[0].candidates[1].id == 3);
  config.num_beams = 2;
  CHECK(run_generation(session, request_of({{1}}, config)).items[0].candidates[0].id == 2);
  config.suppress_tokens = {2};
  config.top_candidates = 99;
  CHECK(run_generation(session, request_of({{1}}, config)).items[0].candidates.size() == 7);
}

TEST_CASE("a forced end of sequence takes the last place, of max_length or of the context") {
  Session session(table_model(counting_logits(), 6));
  GenerationConfig config = ending_at_zero();
  config.forced_eos_token_id = {eos};
  config.max_new_tokens = 3;
  CHECK(run_generation(session, request_of({{1}}, config)).result.sequences[0] == Ids{1, 2, 3, 0});
  config.max_new_tokens = 50;
  const Generated made = run_generation(session, request_of({{1}}, config));
  CHECK(made.result.sequences[0] == Ids{1, 2, 3, 4, 5, 0});
  CHECK(made.result.finish_reasons[0] == FinishReason::eos);
}
