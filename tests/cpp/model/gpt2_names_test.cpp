#include <doctest/doctest.h>

#include "model/forward.h"
#include "support/named_tensors.h"

using namespace webformer;
using namespace webformer::test;

namespace {

constexpr const char* gpt2_config = R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 10, "n_embd": 8,
  "n_layer": 2, "n_head": 2, "n_positions": 16, "eos_token_id": 9})";
constexpr const char* transformer_config = R"({"model_type": "transformer", "vocab_size": 10, "d_model": 8, "num_encoder_layers": 0,
  "num_decoder_layers": 2, "nhead": 2, "dim_feedforward": 32, "max_position_embeddings": 16, "norm_first": true,
  "activation": "gelu_new", "positions": "learned"})";

/// Random weights by the names and shapes of transformers' GPT2LMHeadModel.
std::vector<NamedTensor> gpt2_weights() {
  std::vector<NamedTensor> tensors;
  Random random(4);
  const auto add = [&](std::string name, Shape shape) {
    Array values(shape);
    for (float& x : values.data) x = float(random.normal());
    tensors.push_back({"transformer." + std::move(name), std::move(values)});
  };
  const auto add_both = [&](const std::string& module, Shape weight) {
    add(module + ".weight", weight);
    add(module + ".bias", {weight[-1]});
  };
  add("wte.weight", {10, 8});
  add("wpe.weight", {16, 8});
  for (const std::string block : {"h.0.", "h.1."}) {
    add_both(block + "ln_1", {8});
    add_both(block + "attn.c_attn", {8, 24});
    add_both(block + "attn.c_proj", {8, 8});
    add_both(block + "ln_2", {8});
    add_both(block + "mlp.c_fc", {8, 32});
    add_both(block + "mlp.c_proj", {32, 8});
  }
  add_both("ln_f", {8});
  return tensors;
}

}  // namespace

TEST_CASE("a GPT by nn.Transformer's arguments reads GPT-2's weights by their names in transformers, and computes the same") {
  const auto logits_of = [](const char* config) {
    const auto model = load_model(config, gpt2_weights(), 0);
    CHECK(model->unused_weights.empty());
    Workspace workspace;
    Schedule schedule;
    return Job<ModelOutput>(schedule, forward(*model, {.input_ids = {1, 4, {1, 2, 3, 4}}}, {}, workspace, schedule)).finish().logits->data;
  };
  CHECK(logits_of(gpt2_config) == logits_of(transformer_config));
}
