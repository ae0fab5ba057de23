// Whole models: golden/modules 07, 07b and 09.

#ifdef WEBFORMER_SHARED_DIR

#include "modules/attention_call.h"
#include "modules/model_run.h"

using namespace webformer;
using modules::Case;
using modules::columns;
using modules::id_matrix;
using modules::ignore;
using modules::ModelRun;
using modules::not_padding;

namespace {

std::string number(const Json& about, const char* name) { return about[name].to_json(); }

/// What all models of this make say in config.json; `rest` is what one adds, the braces are left to it.
std::string sizes(const Json& about) {
  return R"("model_type": "transformer", "d_model": )" + number(about, "d_model") + R"(, "nhead": )" + number(about, "heads") +
         R"(, "dim_feedforward": )" + number(about, "d_ff") + R"(, "layer_norm_eps": )" + number(about, "eps");
}

/// sqrt of the sum of the squares of all gradients.
double norm_of(const WeightPlan& plan, Gradients& gradients) {
  double squares = 0;
  for (const Weight& weight : plan.weights()) {
    const std::span<const float> g = weight.matrix ? std::span<const float>(gradients.of(*weight.matrix)->numbers())
                                                   : std::span<const float>(gradients.of(*weight.vector), weight.vector->size());
    for (const float x : g) squares += double(x) * x;
  }
  return std::sqrt(squares);
}

std::vector<std::int32_t> row_of(const IdMatrix& ids, std::int64_t b, std::int32_t pad) {
  std::vector<std::int32_t> row(ids.data.begin() + b * ids.cols, ids.data.begin() + (b + 1) * ids.cols);
  std::erase(row, pad);
  return row;
}

void append(std::vector<float>& to, const std::vector<std::int32_t>& ids) { to.insert(to.end(), ids.begin(), ids.end()); }

void check_transformer_2017(Case& c) {
  const Json about = c.about();
  const auto pad = std::int32_t(about["pad"].get_integer()), bos = std::int32_t(about["bos"].get_integer());
  ModelRun run(c, "{" + sizes(about) + R"(, "num_encoder_layers": )" + number(about, "encoder_layers") + R"(, "num_decoder_layers": )" +
                      number(about, "decoder_layers") + R"(, "vocab_size": )" + number(about, "vocab") + "}");
  const IdMatrix src = id_matrix(c, "src"), target = id_matrix(c, "tgt_input");
  ForwardInputs inputs{.input_ids = src,
                       .attention_mask = not_padding(src, pad),
                       .decoder_input_ids = target,
                       .decoder_attention_mask = not_padding(target, pad),
                       .labels = ignore(id_matrix(c, "tgt_label"), pad)};
  const ForwardOptions whole{.padding = true};
  const ModelOutput out = run.forward(inputs, whole);
  c.output("memory", *out.encoder_last_hidden_state);
  c.output("hidden", *out.last_hidden_state);
  c.output("logits", *out.logits);
  c.output("loss_plain", *run.forward(inputs).loss);
  c.output("loss", run.backward(inputs, float(about["label_smoothing"].get_number())));
  c.output("grad_norm", norm_of(run.plan(), run.gradients));
  c.gradients(run.plan(), run.gradients);

  ForwardInputs empty = inputs;
  empty.input_ids = id_matrix(c, "src_empty");
  empty.attention_mask = not_padding(empty.input_ids, pad);
  c.output("logits_empty", *run.forward(empty, whole).logits);
  std::vector<float> greedy;
  const std::int64_t steps = c.module().tensor("out.greedy").shape[1] - 1;
  for (std::int64_t b = 0; b < src.rows; ++b) append(greedy, run.greedy(row_of(src, b, pad), {bos}, int(steps)).ids);
  c.output("greedy", greedy);
}

void check_textbook_transformer(Case& c) {
  const Json about = c.about();
  const auto pad = std::int32_t(about["pad"].get_integer()), bos = std::int32_t(about["bos"].get_integer());
  const std::string layers = number(about, "layers");
  ModelRun run(c, "{" + sizes(about) + R"(, "num_encoder_layers": )" + layers + R"(, "num_decoder_layers": )" + layers +
                      R"(, "vocab_size": )" + number(about, "src_vocab") + R"(, "target_vocab_size": )" + number(about, "tgt_vocab") +
                      R"(, "attention_bias": false, "final_norm": false, "tie_word_embeddings": false, "output_bias": true})");
  const IdMatrix src = id_matrix(c, "src"), tgt = id_matrix(c, "tgt"), target = columns(tgt, 0, tgt.cols - 1);
  ForwardInputs inputs{.input_ids = src,
                       .attention_mask = not_padding(src, pad),
                       .decoder_input_ids = target,
                       .decoder_attention_mask = not_padding(target, pad),
                       .labels = ignore(columns(tgt, 1, target.cols), pad)};
  const ModelOutput out = run.forward(inputs, {.padding = true});
  c.output("encoder_output", *out.encoder_last_hidden_state);
  c.output("logits", *out.logits);
  c.output("loss", run.backward(inputs));
  c.gradients(run.plan(), run.gradients);
  c.output("src_mask", modules::seen(src.data, src.rows, pad, false, 1));
  c.output("tgt_mask", modules::seen(target.data, target.rows, pad, true, target.cols));

  const std::int64_t width = c.module().tensor("out.translate").shape[1];
  std::vector<float> translations, lengths;
  for (std::int64_t b = 0; b < src.rows; ++b) {
    auto ids = run.greedy(row_of(src, b, pad), {bos}, int(width) - 1, std::int32_t(about["eos"].get_integer())).ids;
    lengths.push_back(float(ids.size()));
    ids.resize(std::size_t(width), pad);
    append(translations, ids);
  }
  c.output("translate", translations);
  c.output("translate_length", lengths);
}

/// config.json of one of the four layouts.
std::string decoder_config(const Case& c) {
  const Json about = c.about();
  const std::string length = number(about, "max_length"), vocab = number(about, "vocab");
  if (c.has_weight("transformer.wte.weight")) {
    return R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": )" + number(about, "d_model") + R"(, "n_head": )" +
           number(about, "heads") + R"(, "n_layer": )" + number(about, "layers") + R"(, "n_inner": )" + number(about, "d_ff") +
           R"(, "n_positions": )" + length + R"(, "vocab_size": )" + vocab + R"(, "layer_norm_epsilon": )" + number(about, "eps") + "}";
  }
  if (c.has_weight("model.embed_tokens.weight")) {
    return R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": )" + number(about, "d_model") +
           R"(, "num_attention_heads": )" + number(about, "heads") + R"(, "num_key_value_heads": )" + number(about, "kv_heads") +
           R"(, "num_hidden_layers": )" + number(about, "layers") + R"(, "intermediate_size": )" + number(about, "d_ff") +
           R"(, "max_position_embeddings": )" + length + R"(, "vocab_size": )" + vocab + R"(, "rms_norm_eps": )" + number(about, "eps") +
           R"(, "tie_word_embeddings": true})";
  }
  const bool pre = c.has_weight("embedding.weight");
  return "{" + sizes(about) + R"(, "num_encoder_layers": 0, "num_decoder_layers": )" + number(about, "layers") +
         R"(, "max_position_embeddings": )" + length + R"(, "vocab_size": )" + vocab +
         (pre ? R"(, "norm_first": true, "attention_bias": false})" : R"(, "activation": "gelu", "positions": "learned"})");
}

void check_decoder(Case& c) {
  ModelRun run(c, decoder_config(c));
  const IdMatrix ids = id_matrix(c, "ids");
  const ForwardInputs inputs{.input_ids = ids, .labels = ids};
  c.output("logits", *run.forward(inputs).logits);
  c.output("loss", run.backward(inputs));
  c.gradients(run.plan(), run.gradients);

  const std::vector<std::int32_t> prompt = c.ids("prompt");
  const std::size_t new_ids = c.module().tensor("out." + c.name() + ".greedy").data.size() - prompt.size();
  const ModelRun::Greedy greedy = run.greedy({}, prompt, int(new_ids));
  std::vector<float> chosen, chunked;
  append(chosen, greedy.ids);
  c.output("greedy", chosen);
  c.output("greedy_logits", greedy.logits);
  for (std::int64_t b = 0; b < ids.rows; ++b) {
    for (std::int64_t t = 1; t <= ids.cols; ++t) {
      const auto logits = run.chunked(std::span(ids.data).subspan(std::size_t(b * ids.cols), std::size_t(t)), 5);
      chunked.insert(chunked.end(), logits.begin(), logits.end());
    }
  }
  c.output("chunked_logits", chunked);
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("07: the Transformer of 2017, its gradients and its greedy output are PyTorch's") {
    modules::each_case("07_transformer_2017", check_transformer_2017);
  }

  TEST_CASE("07b: a textbook's Transformer, its gradients and its translations are PyTorch's") {
    modules::each_case("07b_transformer_textbook", check_textbook_transformer);
  }

  TEST_CASE("09: decoders of four layouts, their gradients and their cached steps are PyTorch's") {
    modules::each_case("09_gpt", check_decoder);
  }
}

#endif
