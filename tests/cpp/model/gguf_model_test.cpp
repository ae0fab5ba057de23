// Checkpoints in GGUF: what transformers computes from the same weights, and keys of the metadata that would change it.

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "model/families/gguf.h"
#include "support/expected_outputs.h"
#include "support/gguf_models.h"

using namespace webformer;
using namespace webformer::test;

namespace {

JsonDocument expected_outputs() {
  std::ifstream file("tests/fixtures/gguf/expected.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return JsonDocument::parse(text, "expected.json");
}

/// "code: message" of a LLaMA's metadata with one key replaced or added; "ok" if it is accepted.
std::string verdict(const std::string& key, MetadataValue value) {
  const GgufModel llama = read_gguf_model("llama");
  std::vector<Metadata::Entry> entries;
  for (const Metadata::Entry& entry : llama.metadata.entries()) {
    if (entry.first != key) entries.push_back(entry);
  }
  entries.emplace_back(key, std::move(value));
  try {
    gguf_config(Metadata(std::move(entries), "model.gguf"));
    return "ok";
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.message();
  }
}

}  // namespace

TEST_CASE("models in GGUF compute what transformers does from their weights") {
  const JsonDocument expected = expected_outputs();
  int models = 0;
  for (const auto& [name, item] : expected.root().members()) {
    CAPTURE(name);
    const auto model = load_gguf_model(std::string(name));
    CHECK(model->unused_weights.empty());
    CHECK(wrong_outputs(*model, item["inputs"], {}, item["outputs"], 2e-5) == std::vector<std::string>{});
    CHECK(wrong_tokens(model, item["inputs"], item["greedy"]) == std::vector<std::string>{});
    ++models;
  }
  CHECK(models >= 11);
}

TEST_CASE("a LongRoPE in GGUF ends its context where its other factors would begin") {
  CHECK(load_gguf_model("phi3")->config.context_length == 64);
  CHECK(load_gguf_model("phi3-longrope")->config.context_length == 32);
}

TEST_CASE("keys of GGUF that change numbers, and have no code, are refused by name") {
  using Whole = std::int64_t;
  CHECK(verdict("llama.expert_count", Whole(0)) == "ok");
  CHECK(verdict("llama.expert_count", Whole(8)) == "unsupported_model: GGUF: llama.expert_count is 8, only 0 is supported");
  CHECK(verdict("llama.attention.value_length", Whole(8)) == "ok");
  CHECK(verdict("llama.attention.value_length", Whole(6)) ==
        "unsupported_model: GGUF: llama.attention.value_length is 6, only 8 is supported");
  CHECK(verdict("llama.attention.causal", false) == "unsupported_model: GGUF: llama.attention.causal is false, only true is supported");
  CHECK(verdict("llama.rope.scale_linear", 4.0) == "unsupported_model: GGUF: llama.rope.scale_linear is 4, only 1 is supported");
  for (const char* key : {"attention.clamp_kqv", "attention.max_alibi_bias", "attention.scale", "logit_scale", "residual_scale"}) {
    const std::string name = std::string("llama.") + key;
    CHECK(verdict(name, 0.5) == "unsupported_model: GGUF: " + name + " is 0.5, only 0 is supported");
  }
  CHECK(verdict("general.architecture", std::string("falcon")) ==
        "unsupported_model: GGUF: general.architecture is \"falcon\", one of gemma, gemma2, gemma3, llama, phi3, qwen2, qwen3 expected");
}
