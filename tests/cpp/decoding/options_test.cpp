#include "decoding/options.h"

#include <doctest/doctest.h>

#include "decoding/names.h"
#include "support.h"

using namespace webformer;

namespace {

Json json(std::string_view text, std::string file = "generation_config.json") {
  static std::vector<JsonDocument> documents;  // handles live as long as their document
  documents.push_back(JsonDocument::parse(text, std::move(file)));
  return documents.back().root();
}

GenerationConfig from_options(std::string_view text) {
  GenerationConfig config;
  apply_options(config, json(text, "options"));
  return config;
}

std::string options_message(std::string_view text) {
  return message_of([&] { from_options(text); });
}

}  // namespace

TEST_CASE("generation_config.json is read with every setting that both sides know") {
  const GenerationConfig c = read_generation_config(json(R"({
    "_from_model_config": true, "bad_words_ids": [[99], [1, 2]], "begin_suppress_tokens": [5], "bos_token_id": 0,
    "decoder_start_token_id": 99,
    "do_sample": true, "early_stopping": "never", "eos_token_id": [0, 3], "forced_bos_token_id": 4, "forced_eos_token_id": 0,
    "length_penalty": 0.6, "max_length": 24, "max_new_tokens": 12, "min_length": 3, "min_new_tokens": 2, "min_p": 0.05,
    "no_repeat_ngram_size": 3, "num_beams": 4, "num_return_sequences": 2, "output_attentions": false, "pad_token_id": 99,
    "renormalize_logits": true, "repetition_penalty": 1.2, "stop_strings": "end", "suppress_tokens": [7, 8], "temperature": 0.7,
    "top_k": 20,
    "top_p": 0.8, "transformers_version": "5.24.0", "typical_p": 0.9, "use_cache": true, "cache_implementation": "hybrid"})"),
                                                    Json());
  CHECK(c.unsupported.empty());
  CHECK(c.bad_words_ids == std::vector<std::vector<std::int32_t>>{{99}, {1, 2}});
  CHECK(c.begin_suppress_tokens == std::vector<std::int32_t>{5});
  CHECK(c.suppress_tokens == std::vector<std::int32_t>{7, 8});
  CHECK(c.bos_token_id == 0);
  CHECK(c.decoder_start_token_id == 99);
  CHECK(c.do_sample);
  CHECK(c.early_stopping == EarlyStopping::never);
  CHECK(c.eos_token_id == std::vector<std::int32_t>{0, 3});
  CHECK(c.forced_bos_token_id == 4);
  CHECK(c.forced_eos_token_id == std::vector<std::int32_t>{0});
  CHECK(c.length_penalty == 0.6);
  CHECK(c.max_length == 24);
  CHECK(c.max_new_tokens == 12);
  CHECK(c.min_length == 3);
  CHECK(c.min_new_tokens == 2);
  CHECK(c.min_p == 0.05);
  CHECK(c.no_repeat_ngram_size == 3);
  CHECK(c.num_beams == 4);
  CHECK(c.num_return_sequences == 2);
  CHECK(c.pad_token_id == 99);
  CHECK(c.renormalize_logits);
  CHECK(c.repetition_penalty == 1.2);
  CHECK(c.stop_strings == std::vector<std::string>{"end"});
  CHECK(c.temperature == 0.7);
  CHECK(c.top_k == 20);
  CHECK(c.top_p == 0.8);
  CHECK(c.typical_p == 0.9);
}

TEST_CASE("a setting that is not built is noted, unless it is at its neutral value") {
  const GenerationConfig neutral = read_generation_config(
      json(R"({"diversity_penalty": 0.0, "num_beam_groups": 1, "encoder_repetition_penalty": 1.0, "encoder_no_repeat_ngram_size": 0,
               "epsilon_cutoff": 0.0, "eta_cutoff": 0.0, "guidance_scale": 1, "penalty_alpha": null, "remove_invalid_values": false,
               "exponential_decay_length_penalty": null, "forced_decoder_ids": [], "sequence_bias": {}, "num_assistant_tokens": 5,
               "return_dict_in_generate": true, "output_scores": true})"),
      Json());
  CHECK(neutral.unsupported.empty());
  const GenerationConfig active = read_generation_config(
      json(R"({"penalty_alpha": 0.6, "num_beam_groups": 2, "chat_format": "chatml", "dola_layers": "low", "max_time": 3})"), Json());
  CHECK(active.unsupported == std::vector<std::string>{"penalty_alpha: 0.6", "num_beam_groups: 2", "chat_format: \"chatml\"",
                                                       "dola_layers: \"low\"", "max_time: 3"});
}

TEST_CASE("null leaves the default, and a negative token id means none") {
  const GenerationConfig c =
      read_generation_config(json(R"({"temperature": null, "eos_token_id": -1, "pad_token_id": -1, "bos_token_id": null})"), Json());
  CHECK(c.temperature == 1);
  CHECK(c.eos_token_id.empty());
  CHECK_FALSE(c.pad_token_id.has_value());
  CHECK_FALSE(c.bos_token_id.has_value());
}

TEST_CASE("a value of the wrong type in a file is invalid_file with its name") {
  CHECK(message_of([] { read_generation_config(json(R"({"top_k": "5"})"), Json()); }) ==
        "invalid_file: generation_config.json: top_k is \"5\", a whole number below 2^53 expected");
  CHECK(message_of([] { read_generation_config(json(R"([1])"), Json()); }).starts_with("invalid_file: generation_config.json"));
}

TEST_CASE("config.json gives the settings only where generation_config.json is missing, and only known names count") {
  const Json config = json(R"({"model_type": "bart", "d_model": 16, "num_beams": 4, "eos_token_id": 2, "early_stopping": true,
                               "dropout": 0.1, "diversity_penalty": 0.5, "remove_invalid_values": false})",
                           "config.json");
  const GenerationConfig old = read_generation_config(Json(), config);
  CHECK(old.num_beams == 4);
  CHECK(old.eos_token_id == std::vector<std::int32_t>{2});
  CHECK(old.early_stopping == EarlyStopping::yes);
  CHECK(old.unsupported == std::vector<std::string>{"diversity_penalty: 0.5"});
  const GenerationConfig present = read_generation_config(json(R"({"bos_token_id": 0})"), config);
  CHECK(present.num_beams == 1);
  CHECK(present.eos_token_id.empty());
}

TEST_CASE("options may be written as Hugging Face or as JavaScript does") {
  CHECK(from_options(R"({"maxNewTokens": 3})").max_new_tokens == 3);
  CHECK(from_options(R"({"max_new_tokens": 3})").max_new_tokens == 3);
  const GenerationConfig c = from_options(R"({"topP": 0.5, "noRepeatNgramSize": 2, "badWordsIds": [[1], [2, 3]], "eosTokenId": [1, 2],
    "earlyStopping": true, "numReturnSequences": 2, "stop": ["a", "b"], "attentions": true, "returnScores": true, "returnBeams": true,
    "topCandidates": 5, "seed": 7, "doSample": true, "minP": 0, "renormalizeLogits": true, "forcedEosTokenId": 9})");
  CHECK(c.top_p == 0.5);
  CHECK(c.no_repeat_ngram_size == 2);
  CHECK(c.bad_words_ids == std::vector<std::vector<std::int32_t>>{{1}, {2, 3}});
  CHECK(c.eos_token_id == std::vector<std::int32_t>{1, 2});
  CHECK(c.early_stopping == EarlyStopping::yes);
  CHECK(c.num_return_sequences == 2);
  CHECK(c.stop_strings == std::vector<std::string>{"a", "b"});
  CHECK(c.attentions);
  CHECK(c.return_scores);
  CHECK(c.return_beams);
  CHECK(c.top_candidates == 5);
  CHECK(c.seed == 7);
  CHECK(c.do_sample);
  CHECK(c.min_p == 0.0);
  CHECK(c.renormalize_logits);
  CHECK(c.forced_eos_token_id == std::vector<std::int32_t>{9});
}

TEST_CASE("an unknown option is refused with the nearest known name, in the caller's way of writing") {
  CHECK(options_message(R"({"maxNewToken": 3})") == "invalid_argument: maxNewToken: no such option; the nearest is maxNewTokens");
  CHECK(options_message(R"({"top_K": 3})") == "invalid_argument: top_K: no such option; the nearest is top_k");
  CHECK(options_message(R"({"numbeams": 3})") == "invalid_argument: numbeams: no such option; the nearest is numBeams");
  CHECK(options_message(R"({"penaltyAlpha": 0.6})").starts_with("invalid_argument: penaltyAlpha: no such option"));
  CHECK(options_message(R"({"stopStrings": ["a"]})").starts_with("invalid_argument: stopStrings: no such option"));
  CHECK(options_message("3") == "invalid_argument: options: 3 found, an object expected");
}

TEST_CASE("an option of the wrong type, null (as NaN arrives) included, is refused") {
  CHECK(options_message(R"({"topK": 1.5})") == "invalid_argument: topK: 1.5 found, a whole number below 2^53 expected");
  CHECK(options_message(R"({"topK": null})").starts_with("invalid_argument: topK: null found"));
  CHECK(options_message(R"({"temperature": null})") == "invalid_argument: temperature: null found, a number expected");
  CHECK(options_message(R"({"temperature": "NaN"})") == "invalid_argument: temperature: \"NaN\" found, a number expected");
  CHECK(options_message(R"({"seed": 9007199254740992})").starts_with("invalid_argument: seed: 9007199254740992 found"));
  CHECK(options_message(R"({"seed": "7"})").starts_with("invalid_argument: seed: "));
  CHECK(options_message(R"({"maxNewTokens": 9007199254740992})").starts_with("invalid_argument: maxNewTokens: "));
  CHECK(options_message(R"({"doSample": 1})") == "invalid_argument: doSample: 1 found, true or false expected");
  CHECK(options_message(R"({"earlyStopping": "always"})") ==
        "invalid_argument: earlyStopping: \"always\" found, true, false or \"never\" expected");
  CHECK(options_message(R"({"eosTokenId": -1})") == "invalid_argument: eosTokenId: -1 found, a token id expected");
  CHECK(options_message(R"({"eosTokenId": [1, 2.5]})").starts_with("invalid_argument: eosTokenId: 2.5 found"));
  CHECK(options_message(R"({"badWordsIds": [1]})").starts_with("invalid_argument: badWordsIds: "));
  CHECK(options_message(R"({"stop": [1]})").starts_with("invalid_argument: stop: "));
}

TEST_CASE("what the caller gives wins over the file, also where the file bounds a length the other way") {
  GenerationConfig c = read_generation_config(
      json(R"({"max_new_tokens": 100, "min_new_tokens": 5, "num_beams": 4, "eos_token_id": [1, 2]})"), Json());
  apply_options(c, json(R"({"maxLength": 30, "minLength": 3, "numBeams": 1, "eosTokenId": 7})", "options"));
  CHECK_FALSE(c.max_new_tokens.has_value());
  CHECK(c.max_length == 30);
  CHECK_FALSE(c.min_new_tokens.has_value());
  CHECK(c.num_beams == 1);
  CHECK(c.eos_token_id == std::vector<std::int32_t>{7});
  apply_options(c, json(R"({"maxNewTokens": 4, "maxLength": 30})", "options"));
  CHECK(c.max_new_tokens == 4);
}

TEST_CASE("task_specific_params lie between the file and the caller") {
  GenerationConfig c = read_generation_config(json(R"({"max_length": 20, "num_beams": 1})"), Json());
  apply_settings(c, json(R"({"early_stopping": true, "max_length": 300, "num_beams": 4})", "config.json"));
  CHECK(c.max_length == 300);
  CHECK(c.num_beams == 4);
  CHECK(c.early_stopping == EarlyStopping::yes);
}

TEST_CASE("names change between the two ways of writing, and distances between names are Levenshtein's") {
  CHECK(snake_case("noRepeatNgramSize") == "no_repeat_ngram_size");
  CHECK(snake_case("top_k") == "top_k");
  CHECK(camel_case("no_repeat_ngram_size") == "noRepeatNgramSize");
  CHECK(camel_case("seed") == "seed");
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
}
