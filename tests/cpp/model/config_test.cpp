// RELIABILITY.md, section B: config.json against itself.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model/families/family.h"
#include "model/families/read.h"
#include "model/forward.h"
#include "support/tiny_models.h"

using namespace webformer;
using test::make_model;

namespace {

constexpr const char* llama_config = R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 50, "hidden_size": 32,
  "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 64})";

/// llama_config with one member replaced or added.
std::string with(std::string_view key, std::string_view value) {
  std::string text = llama_config;
  const std::string quoted = "\"" + std::string(key) + "\": ";
  const std::size_t at = text.find(quoted);
  if (at == std::string::npos) return "{" + quoted + std::string(value) + ", " + text.substr(1);
  const std::size_t start = at + quoted.size(), end = text.find_first_of(",}", text[start] == '[' ? text.find(']', start) : start);
  return text.replace(start, end - start, value);
}

/// "code: message" of reading a config; "" if it is accepted.
std::string error_of(std::string_view text) {
  try {
    const JsonDocument document = JsonDocument::parse(text, "config.json");
    read_config(document.root());
    return "";
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.message();
  }
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a good config is accepted, and its numbers are where they belong") {
  CHECK(error_of(llama_config) == "");
  const JsonDocument document = JsonDocument::parse(llama_config, "config.json");
  const ModelConfig c = read_config(document.root());
  CHECK(c.kind == Kind::decoder);
  CHECK(c.head == Head::causal_lm);
  CHECK(c.decoder.heads == 4);
  CHECK(c.decoder.kv_heads == 2);
  CHECK(c.decoder.head_size == 8);
  CHECK(c.context_length == 64);
}

TEST_CASE("an unknown architecture is refused by name, with the list of those supported") {
  const std::string error = error_of(R"({"model_type": "mamba", "vocab_size": 5})");
  CHECK(error.starts_with("unsupported_model: "));
  CHECK(contains(error, "\"mamba\""));
  for (const Family* family : families()) CHECK(contains(error, family->model_type));
  CHECK(error_of(with("architectures", R"(["LlamaForImageSegmentation"])")).starts_with("unsupported_model: "));
}

TEST_CASE("a config that is no object, or empty, or of wrong types is an invalid file") {
  for (const char* text : {"[]", "3", "\"llama\"", "null"}) CHECK(error_of(text).starts_with("invalid_file: "));
  CHECK(error_of("{}").starts_with("unsupported_model: "));
  CHECK(error_of(with("hidden_size", "\"32\"")).starts_with("invalid_file: "));
  CHECK(error_of(with("num_attention_heads", "[4]")).starts_with("invalid_file: "));
  CHECK(error_of(with("rms_norm_eps", "\"small\"")).starts_with("invalid_file: "));
}

TEST_CASE("numbers out of bounds are refused with the key and the value") {
  for (const char* key : {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
                          "intermediate_size", "max_position_embeddings"}) {
    for (const char* value : {"0", "-1", "1.5", "1e30", "18446744073709551616"}) {
      const std::string error = error_of(with(key, value));
      CAPTURE(key);
      CAPTURE(value);
      CAPTURE(error);
      CHECK(error.starts_with("invalid_file: "));
      CHECK(contains(error, key));
    }
  }
  CHECK(error_of(with("num_attention_heads", "5")).starts_with("invalid_file: "));
  CHECK(error_of(with("num_key_value_heads", "3")).starts_with("invalid_file: "));
  for (const char* value : {"0", "-1", "-1e-5"}) {
    CHECK(error_of(with("rms_norm_eps", value)).starts_with("invalid_file: "));
    CHECK(error_of(with("rope_theta", value)).starts_with("invalid_file: "));
  }
}

TEST_CASE("a missing key is named") {
  const std::string error =
      error_of(R"({"model_type": "bert", "vocab_size": 30, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 8})");
  CHECK(error == "invalid_file: config.json: hidden_size is missing");
}

TEST_CASE("an unknown activation or rope type is never replaced by a default") {
  CHECK(error_of(with("hidden_act", "\"gelu_13\"")).starts_with("unsupported_model: "));
  CHECK(error_of(with("rope_scaling", R"({"rope_type": "ntk", "factor": 4.0})")).starts_with("unsupported_model: "));
}

TEST_CASE("rotary settings of transformers 4 are checked beside those of transformers 5, which win over them") {
  const auto beside = [](std::string_view key, std::string_view value) {
    const std::string text = with("rope_parameters", R"({"rope_type": "default", "rope_theta": 5000.0})");
    return "{\"" + std::string(key) + "\": " + std::string(value) + ", " + text.substr(1);
  };
  CHECK(error_of(beside("rope_theta", "20000")) == "");
  for (const char* value : {"0", "-10000"}) {
    const std::string error = error_of(beside("rope_theta", value));
    CHECK(error == "invalid_file: config.json: rope_theta is " + std::string(value) + ", a number above 0 expected");
    CHECK(error_of(with("rope_parameters", R"({"rope_theta": )" + std::string(value) + "}")) == error);
  }
  CHECK(error_of(beside("rope_scaling", R"({"rope_type": "linear", "factor": 2.0})")) == "");
  CHECK(error_of(beside("rope_scaling", R"({"rope_type": "ntk", "factor": 2.0})")) ==
        "unsupported_model: config.json: rope type \"ntk\", one of default, linear, dynamic, llama3, yarn, longrope expected");
  const JsonDocument both = JsonDocument::parse(beside("rope_theta", "20000"), "config.json");
  CHECK(read_rope(both.root(), 8).frequencies == rope_frequencies(8, 5000));
}

TEST_CASE("a token id below -1 is refused by its key; -1 is none, and no text has one beyond the vocabulary") {
  for (const char* key : {"pad_token_id", "eos_token_id", "decoder_start_token_id"}) {
    CHECK(error_of(with(key, "-5")) == "invalid_file: config.json: " + std::string(key) +
                                           " is -5, a token id from 0 to 2147483647 expected, or -1 for none");
    CHECK(error_of(with(key, "4294967298")).starts_with("invalid_file: config.json: " + std::string(key)));  // 2, in 32 bits
    for (const char* none : {"-1", "null", "49"}) CHECK(error_of(with(key, none)) == "");
  }
  CHECK(error_of(with("eos_token_id", "[2, -7]")).starts_with("invalid_file: config.json: eos_token_id[1] is -7"));
  CHECK(error_of(with("eos_token_id", "[2, 50]")) == "");
  CHECK(error_of(with("pad_token_id", "50")) == "invalid_file: config.json: pad_token_id is 50, less than vocab_size expected");
}

TEST_CASE("where rotary frequencies change with the length of the text, the context ends before they do") {
  const auto read = [](std::string_view scaling) {
    const JsonDocument document = JsonDocument::parse(with("rope_scaling", scaling), "config.json");
    return read_config(document.root());
  };
  CHECK(read(R"({"rope_type": "linear", "factor": 2.0})").context_length == 64);
  CHECK(read(R"({"rope_type": "dynamic", "factor": 2.0})").context_length == 64);
  const char* longrope = R"({"rope_type": "longrope", "original_max_position_embeddings": 16, "short_factor": [1, 1, 2, 4],
                             "long_factor": [1, 2, 4, 8]})";
  const ModelConfig c = read(longrope);
  CHECK(c.context_length == 16);
  CHECK(c.decoder.ropes[0].frequencies[3] == doctest::Approx(0.001 / 4));
  CHECK(c.decoder.ropes[0].magnitude == doctest::Approx(std::sqrt(1.5)));  // sqrt(1 + ln(64/16) / ln 16)
  const std::string wrong = error_of(with("rope_scaling", R"({"rope_type": "longrope", "short_factor": [1, 2]})"));
  CHECK(wrong == "invalid_file: config.json: short_factor has 2 numbers, 4 expected, one a frequency");

  const auto model = make_model(with("rope_scaling", longrope));
  Workspace workspace;
  Schedule schedule;
  const auto run = [&](std::int64_t length) {
    const ForwardInputs inputs{.input_ids = {1, length, std::vector<std::int32_t>(std::size_t(length), 1)}};
    return Job<ModelOutput>(schedule, forward(*model, inputs, {}, workspace, schedule)).finish();
  };
  CHECK(run(16).logits);
  CHECK_THROWS_WITH(run(17), "inputIds: row 0 has 17 tokens, the model has 16 positions");
}

TEST_CASE("weights that are no plain numbers, and heads that were cut out, are refused by the key that says so") {
  CHECK(error_of(with("quantization_config", R"({"quant_method": "gptq", "bits": 4})")) ==
        "unsupported_model: config.json: quantization_config.quant_method is \"gptq\", only weights as floating-point numbers are read");
  CHECK(error_of(with("pruned_heads", R"({"1": [0, 2]})")) ==
        "unsupported_model: config.json: pruned_heads is {\"1\":[0,2]}, only {} is supported");
  CHECK(error_of(with("pruned_heads", "{}")) == "");
}

TEST_CASE("rope scaling changes the frequencies as its papers say") {
  const std::vector<float> plain = rope_frequencies(8, 10000);
  CHECK(plain[0] == 1);
  CHECK(plain[1] == doctest::Approx(0.1));
  CHECK(plain[3] == doctest::Approx(0.001));
  const JsonDocument linear =
      JsonDocument::parse(R"({"rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0}})", "config.json");
  const RopeConfig scaled = read_rope(linear.root(), 8);
  for (std::size_t i = 0; i < 4; ++i) CHECK(scaled.frequencies[i] == doctest::Approx(plain[i] / 4));
  // llama3: turns within the trained length above high_freq_factor stay, below low_freq_factor are divided by the factor.
  const JsonDocument llama3 = JsonDocument::parse(
      R"({"rope_parameters": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 32, "rope_theta": 10000.0}})",
      "config.json");
  const RopeConfig stretched = read_rope(llama3.root(), 8);
  CHECK(stretched.frequencies[0] == doctest::Approx(plain[0]));      // 32 / 2 pi = 5.1 turns
  CHECK(stretched.frequencies[3] == doctest::Approx(plain[3] / 8));  // 0.005 turns
}

TEST_CASE("families are sorted, so that an error's list reads well") {
  CHECK(std::ranges::is_sorted(families(), {}, [](const Family* family) { return family->model_type; }));
}
