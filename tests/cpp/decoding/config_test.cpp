#include "decoding/config.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support.h"

using namespace webformer;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// What check() says of the defaults changed by `change`, for a vocabulary of 100.
template <class Change>
std::string verdict(Change change, GenerationSize size = {1, 100, true}) {
  GenerationConfig config;
  change(config);
  return message_of([&] { check(config, size); });
}

}  // namespace

TEST_CASE("the defaults are those of transformers' GenerationConfig") {
  const GenerationConfig c;
  CHECK_FALSE(c.max_length.has_value());
  CHECK(c.min_length == 0);
  CHECK_FALSE(c.do_sample);
  CHECK(c.temperature == 1);
  CHECK(c.top_k == 50);
  CHECK(c.top_p == 1);
  CHECK_FALSE(c.min_p.has_value());
  CHECK(c.typical_p == 1);
  CHECK(c.repetition_penalty == 1);
  CHECK(c.no_repeat_ngram_size == 0);
  CHECK(c.num_beams == 1);
  CHECK(c.length_penalty == 1);
  CHECK(c.early_stopping == EarlyStopping::no);
  CHECK(c.num_return_sequences == 1);
  CHECK(verdict([](GenerationConfig&) {}) == "no error");
}

TEST_CASE("a temperature is finite and not negative, and 0 means greedy") {
  for (const double wrong : {not_a_number, -1.0, infinite}) {
    CHECK(verdict([&](GenerationConfig& c) { c.temperature = wrong; }).starts_with("invalid_argument: temperature: "));
  }
  CHECK(verdict([](GenerationConfig& c) { c.temperature = not_a_number; }).find("NaN found") != std::string::npos);
  CHECK(verdict([](GenerationConfig& c) { c.temperature = 1e-9; }) == "no error");
  GenerationConfig greedy;
  greedy.do_sample = true;
  greedy.temperature = 0;
  CHECK(verdict([&](GenerationConfig& c) { c = greedy; }) == "no error");
  CHECK_FALSE(greedy.samples());
}

TEST_CASE("top_k is a count, where 0 is off and more than the vocabulary is all of it, as in transformers") {
  CHECK(verdict([](GenerationConfig& c) { c.top_k = 0; }) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.top_k = 101; }) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.top_k = -1; }) == "invalid_argument: topK: -1 found, 0 to 9007199254740991 expected");
}

TEST_CASE("top_p, min_p and typical_p are parts of a whole") {
  for (const double wrong : {not_a_number, -0.1, 1.1, infinite}) {
    CHECK(verdict([&](GenerationConfig& c) { c.top_p = wrong; }).starts_with("invalid_argument: topP: "));
    CHECK(verdict([&](GenerationConfig& c) { c.min_p = wrong; }).starts_with("invalid_argument: minP: "));
    CHECK(verdict([&](GenerationConfig& c) { c.typical_p = wrong; }).starts_with("invalid_argument: typicalP: "));
  }
  CHECK(verdict([](GenerationConfig& c) { c.top_p = 0; }) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.top_p = 1; }) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.min_p = 0; }) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.typical_p = 0; }).starts_with("invalid_argument: typicalP: 0 found"));
}

TEST_CASE("lengths are whole numbers that JavaScript has, and may be 0") {
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{1} << 53}) {
    CHECK(verdict([&](GenerationConfig& c) { c.max_new_tokens = wrong; }).starts_with("invalid_argument: maxNewTokens: "));
    CHECK(verdict([&](GenerationConfig& c) { c.max_length = wrong; }).starts_with("invalid_argument: maxLength: "));
    CHECK(verdict([&](GenerationConfig& c) { c.min_new_tokens = wrong; }).starts_with("invalid_argument: minNewTokens: "));
    CHECK(verdict([&](GenerationConfig& c) { c.min_length = wrong; }).starts_with("invalid_argument: minLength: "));
    CHECK(verdict([&](GenerationConfig& c) { c.seed = wrong; }).starts_with("invalid_argument: seed: "));
  }
  CHECK(verdict([](GenerationConfig& c) { c.max_new_tokens = 0; }) == "no error");
}

TEST_CASE("beams: at least one, at most the vocabulary, and no more than the logits of a step have room for") {
  CHECK(verdict([](GenerationConfig& c) { c.num_beams = 0; }) == "invalid_argument: numBeams: 0 found, 1 to 100 expected");
  CHECK(verdict([](GenerationConfig& c) { c.num_beams = 101; }) == "invalid_argument: numBeams: 101 found, 1 to 100 expected");
  CHECK(verdict([](GenerationConfig& c) { c.num_beams = 100; }) == "no error");
  // 2^28 logits at most: a vocabulary of 2^17 and 4 prompts leave 2^9 beams
  const GenerationSize large{4, std::int64_t{1} << 17, true};
  CHECK(verdict([](GenerationConfig& c) { c.num_beams = 512; }, large) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.num_beams = 513; }, large) == "invalid_argument: numBeams: 513 found, 1 to 512 expected");
}

TEST_CASE("several sequences a prompt need as many beams, or sampling") {
  CHECK(verdict([](GenerationConfig& c) { c.num_return_sequences = 0; }).starts_with("invalid_argument: numReturnSequences: 0 found"));
  CHECK(verdict([](GenerationConfig& c) { c.num_return_sequences = 2; }) ==
        "invalid_argument: numReturnSequences: 2 found, 1 without numBeams or doSample expected");
  CHECK(verdict([](GenerationConfig& c) { c.num_return_sequences = 2, c.do_sample = true; }) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.num_return_sequences = 3, c.num_beams = 2; }) ==
        "invalid_argument: numReturnSequences: 3 found, 1 to 2 expected");
}

TEST_CASE("penalties are finite, and that of repetition is positive") {
  for (const double wrong : {not_a_number, infinite, 0.0, -1.0}) {
    CHECK(verdict([&](GenerationConfig& c) { c.repetition_penalty = wrong; }).starts_with("invalid_argument: repetitionPenalty: "));
  }
  CHECK(verdict([](GenerationConfig& c) { c.length_penalty = infinite; }) ==
        "invalid_argument: lengthPenalty: Infinity found, a finite number expected");
  CHECK(verdict([](GenerationConfig& c) { c.length_penalty = -2; }) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.no_repeat_ngram_size = -1; }).starts_with("invalid_argument: noRepeatNgramSize: "));
}

TEST_CASE("token ids that matter are within the vocabulary") {
  CHECK(verdict([](GenerationConfig& c) { c.eos_token_id = {2, 100}; }) == "invalid_argument: eosTokenId: 100 found, 0 to 99 expected");
  CHECK(verdict([](GenerationConfig& c) { c.eos_token_id = {-1}; }) == "invalid_argument: eosTokenId: -1 found, 0 to 99 expected");
  CHECK(verdict([](GenerationConfig& c) { c.decoder_start_token_id = 100; }).starts_with("invalid_argument: decoderStartTokenId: "));
  CHECK(verdict([](GenerationConfig& c) { c.forced_bos_token_id = 100; }).starts_with("invalid_argument: forcedBosTokenId: "));
  CHECK(verdict([](GenerationConfig& c) { c.forced_eos_token_id = {100}; }).starts_with("invalid_argument: forcedEosTokenId: "));
  CHECK(verdict([](GenerationConfig& c) { c.bad_words_ids = {{1}, {2, 100}}; }).starts_with("invalid_argument: badWordsIds: 100"));
  CHECK(verdict([](GenerationConfig& c) { c.bad_words_ids = {{}}; }).starts_with("invalid_argument: badWordsIds: an empty list"));
  CHECK(verdict([](GenerationConfig& c) { c.pad_token_id = 100; }) == "no error");  // is never used
}

TEST_CASE("stop strings are not empty, and need a tokenizer") {
  CHECK(verdict([](GenerationConfig& c) { c.stop_strings = {"a", ""}; }).starts_with("invalid_argument: stop: \"\" found"));
  CHECK(verdict([](GenerationConfig& c) { c.stop_strings = {"a"}; }) == "no error");
  CHECK(verdict([](GenerationConfig& c) { c.stop_strings = {"a"}; }, {1, 100, false}).find("no tokenizer") != std::string::npos);
}

TEST_CASE("settings of the checkpoint that are not built are refused by name") {
  CHECK(verdict([](GenerationConfig& c) { c.unsupported = {"penalty_alpha: 0.6", "dola_layers: \"low\""}; }) ==
        "invalid_argument: settings of the checkpoint that are not supported: penalty_alpha: 0.6, dola_layers: \"low\"");
}
