#include <doctest/doctest.h>

#include "decoding/generate.h"
#include "model/forward.h"
#include "support.h"
#include "support/tiny_models.h"
#include "table_model.h"

using namespace webformer;

namespace {

using Ids = std::vector<std::int32_t>;

std::shared_ptr<const Model> marian() {
  for (const test::TinyModel& model : test::generating_models()) {
    if (std::string_view(model.name).starts_with("marian")) return test::make_model(model.config);
  }
  throw Error(Code::internal_error, "no marian");
}

GenerationConfig starting_with(std::int32_t id) {
  GenerationConfig config;
  config.decoder_start_token_id = id;
  config.max_new_tokens = 6;
  return config;
}

GenerationRequest request(std::vector<Ids> sources, GenerationConfig config, std::vector<Ids> decoder_prompts = {}) {
  return {std::move(sources), std::move(decoder_prompts), std::move(config), 0};
}

}  // namespace

TEST_CASE("sequences of an encoder-decoder model begin with decoder_start_token_id, and sources see only themselves") {
  Session session(marian());
  const Ids first = test::random_ids(9, 3, 49, 1), second = test::random_ids(4, 3, 49, 2);
  const Generated both = run_generation(session, request({first, second}, starting_with(49)));
  REQUIRE(both.result.sequences.size() == 2);
  for (const Ids& sequence : both.result.sequences) {
    CHECK(sequence.front() == 49);
    CHECK(sequence.size() == 7);
  }
  CHECK(both.result.sequences[0] == run_generation(session, request({first}, starting_with(49))).result.sequences[0]);
  CHECK(both.result.sequences[1] == run_generation(session, request({second}, starting_with(49))).result.sequences[0]);
  CHECK(both.result.usage.prompt_tokens == 13);
  CHECK(both.result.usage.new_tokens == 12);
}

TEST_CASE("the start token falls back to bos_token_id, and without either generation is refused") {
  Session session(marian());
  GenerationConfig config = starting_with(49);
  config.decoder_start_token_id.reset();
  CHECK(message_of([&] { run_generation(session, request({{5, 6}}, config)); }).starts_with("invalid_argument: decoderStartTokenId"));
  config.bos_token_id = 7;
  CHECK(run_generation(session, request({{5, 6}}, config)).result.sequences[0].front() == 7);
}

TEST_CASE("a target that is begun gets the start token before it, unless it has it") {
  Session session(marian());
  const Ids begun = run_generation(session, request({{5, 6}}, starting_with(49), {{11, 12}})).result.sequences[0];
  CHECK(Ids(begun.begin(), begun.begin() + 3) == Ids{49, 11, 12});
  CHECK(begun.size() == 9);
  CHECK(run_generation(session, request({{5, 6}}, starting_with(49), {{49, 11, 12}})).result.sequences[0] == begun);
  CHECK(message_of([&] { run_generation(session, request({{5, 6}}, starting_with(49), {{1}, {2}})); }) ==
        "invalid_argument: decoderInputIds: 2 found, 1 expected, one a source");
}

TEST_CASE("a forced first token follows the start token, with and without beams") {
  Session session(marian());
  GenerationConfig config = starting_with(49);
  config.forced_bos_token_id = 17;
  CHECK(run_generation(session, request({{5, 6}}, config)).result.sequences[0][1] == 17);
  config.num_beams = 3;
  CHECK(run_generation(session, request({{5, 6}}, config)).result.sequences[0][1] == 17);
}

TEST_CASE("attentions are those of one pass over the finished sequence: for each layer [H, tokens made, S]") {
  const auto model = marian();
  Session session(model);
  for (const std::int64_t beams : {1, 3}) {
    GenerationConfig config = starting_with(49);
    config.attentions = true;
    config.num_beams = beams;
    const Ids source = test::random_ids(5, 3, 49, 3);
    const GenerationResult result = run_generation(session, request({{8, 9, 10}, source}, config, {{49}, {49, 20, 21}})).result;
    REQUIRE(result.cross_attentions.size() == 2);

    ForwardInputs inputs;
    inputs.input_ids = {1, 5, source};
    inputs.decoder_input_ids = {1, 8, Ids(result.sequences[1].begin(), result.sequences[1].end() - 1)};
    ForwardOptions options;
    options.attentions = true;
    Workspace workspace;
    Schedule schedule;
    const ModelOutput output = Job<ModelOutput>(schedule, forward(*model, inputs, options, workspace, schedule)).finish();
    REQUIRE(result.cross_attentions[1].size() == output.cross_attentions.size());
    for (std::size_t layer = 0; layer < output.cross_attentions.size(); ++layer) {
      const Array& weights = result.cross_attentions[1][layer];
      CHECK(weights.shape == Shape{4, 6, 5});
      for (std::int64_t h = 0; h < 4; ++h) {
        for (std::int64_t t = 0; t < 6; ++t) {
          double sum = 0;
          for (std::int64_t s = 0; s < 5; ++s) {
            const float weight = weights.data[std::size_t((h * 6 + t) * 5 + s)];
            CHECK(weight == doctest::Approx(output.cross_attentions[layer].data[std::size_t((h * 8 + t + 2) * 5 + s)]).epsilon(1e-5));
            sum += weight;
          }
          CHECK(sum == doctest::Approx(1));
        }
      }
    }
  }
}

TEST_CASE("beams keep to the source of their prompt") {
  Session session(marian());
  GenerationConfig config = starting_with(49);
  config.num_beams = 4;
  config.num_return_sequences = 2;
  config.return_scores = true;
  config.eos_token_id = {3};
  const std::vector<Ids> sources{test::random_ids(9, 3, 49, 1), test::random_ids(4, 3, 49, 2), test::random_ids(6, 3, 49, 3)};
  const GenerationResult all = run_generation(session, request(sources, config)).result;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const GenerationResult alone = run_generation(session, request({sources[i]}, config)).result;
    for (std::size_t r = 0; r < 2; ++r) {
      CHECK(all.sequences[i * 2 + r] == alone.sequences[r]);
      CHECK(all.scores[i * 2 + r] == doctest::Approx(alone.scores[r]).epsilon(1e-4));
    }
  }
}
