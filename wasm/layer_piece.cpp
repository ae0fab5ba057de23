#include "wasm/layer_piece.h"

#include <algorithm>
#include <cmath>

#include "model/families/family.h"
#include "model/recorder.h"
#include "model/remember.h"
#include "wasm/memory_limit.h"

namespace webformer {

namespace {

const std::vector<WeightName> feed_forward_names{{"ffn.up", "linear1"},     {"ffn.down", "linear2"},   {"ffn.up", "up_proj"},
                                                 {"ffn.gate", "gate_proj"}, {"ffn.down", "down_proj"}};

/// nn.Transformer's names without what stands before those of one of its parts.
std::vector<WeightName> names_below(std::string_view start) {
  std::vector<WeightName> rows;
  for (WeightName row : transformer.names.rows) {
    if (!row.theirs.starts_with(start)) continue;
    row.theirs.remove_prefix(start.size());
    rows.push_back(row);
  }
  return rows;
}

std::vector<WeightName> names_of(std::string_view kind) {
  if (kind == "multiHeadAttention") return multi_head_names().rows;
  if (kind == "feedForward") return feed_forward_names;
  if (kind == "encoderLayer") return names_below("encoder.layers.#.");
  if (kind == "decoderLayer") return names_below("decoder.layers.#.");
  if (kind == "encoder") return names_below("encoder.");
  if (kind == "decoder") return names_below("decoder.");
  if (kind == "transformer") return transformer.names.rows;
  return {{"layer.weight", "weight"}, {"layer.bias", "bias"}};
}

/// B sequences of T rows each.
Rows even_rows(const Array& x) {
  Rows rows;
  for (std::int64_t b = 1; b <= x.shape[0]; ++b) rows.begin.push_back(b * x.shape[1]);
  return rows;
}

std::vector<int> one_each(const Array& x) {
  std::vector<int> sources;
  for (int b = 0; b < int(x.shape[0]); ++b) sources.push_back(b);
  return sources;
}

const std::uint8_t* data_or_null(const std::vector<std::uint8_t>& mask) { return mask.empty() ? nullptr : mask.data(); }

void check_width(std::string_view name, const Array& x, int width) {
  if (x.shape[2] != width) throw Error(Code::invalid_argument, "{}: a last axis of {} found, {} expected", name, x.shape[2], width);
}

}  // namespace

LayerPiece::LayerPiece(std::string_view kind, const Json& options) : kind_(kind), names_{.rows = names_of(kind)} {
  const auto size = [&](std::string_view name) { return int(options[name].get_integer()); };
  const bool bias = options.get_or("bias", true);
  if (kind == "positionalEncoding") names_.ignored = {"pe"};  // the buffer that holds the same table
  ModelConfig model;
  const bool is_block = options.has("d_model") && options.has("nhead");
  if (is_block) transformer.configure(options, model);
  StackConfig c = model.kind == Kind::decoder ? model.decoder : model.encoder;
  plan_.emplace(names_, WeightPlan::Fused{c.heads, is_block ? int(options.get_or("num_kv_heads", c.heads)) : 0, c.head_size});
  const WeightScope scope(*plan_, "layer");
  width_ = out_width_ = is_block ? c.width : size("width");
  inner_ = c.inner;

  if (kind == "linear") {
    out_width_ = size("out_features");
    linear_ = Linear::declare(scope, width_, out_width_, bias);
  } else if (kind == "layerNorm" || kind == "rmsNorm") {
    const bool centred = kind == "layerNorm";
    norm_ = Norm::declare(scope, width_,
                          {.kind = centred ? NormKind::layer_norm : NormKind::rms_norm, .epsilon = float(options["eps"].get_number()),
                           .bias = centred && bias});
  } else if (kind == "embedding") {
    embedding_ = Embedding::declare(scope, size("num_embeddings"), width_, TableUse::tokens);
    width_ = 1;
  } else if (kind == "positionalEncoding") {
    check_room({size("max_len"), width_});
    table_ = sinusoidal_table(size("max_len"), width_, SinusoidLayout::interleaved);
  } else if (kind == "feedForward") {
    c.gated = options.get_or("gated", false);
    ffn_ = FeedForward::declare(WeightScope(*plan_, "ffn"), c);
  } else if (kind == "multiHeadAttention") {
    attention_config_ = c;
    declare_attention(options);
  } else {
    const bool final_norm = options.get_or("final_norm", true);
    if (kind != "decoder" && kind != "decoderLayer") declare_stack(encoder_.emplace(), "encoder", model.encoder, final_norm);
    if (kind != "encoder" && kind != "encoderLayer") declare_stack(decoder_.emplace(), "decoder", model.decoder, final_norm);
    key_width_ = width_;
  }
}

void LayerPiece::declare_attention(const Json& options) {
  StackConfig& c = attention_config_;
  const bool bias = options.get_or("bias", true);
  c.kv_heads = int(options.get_or("num_kv_heads", c.heads));
  if (c.kv_heads < 1 || c.heads % c.kv_heads != 0)
    throw Error(Code::invalid_argument, "num_kv_heads: {} found, a divisor of num_heads expected, which is {}", c.kv_heads, c.heads);
  key_width_ = int(options.get_or("kdim", c.width));
  value_width_ = int(options.get_or("vdim", c.width));
  const WeightScope w(*plan_, "attention");
  attention_.query = Linear::declare(w("query"), c.width, c.width, bias);
  attention_.key = Linear::declare(w("key"), key_width_, c.kv_heads * c.head_size, bias);
  attention_.value = Linear::declare(w("value"), value_width_, c.kv_heads * c.head_size, bias);
  attention_.output = Linear::declare(w("output"), c.width, c.width, bias);
}

void LayerPiece::declare_stack(Stack& stack, std::string name, const StackConfig& config, bool final_norm) {
  stack.config = config;
  stack.config.cross_attention = name == "decoder";
  const WeightScope scope(*plan_, name);
  for (int i = 0; i < config.layers; ++i)
    stack.layers.push_back(Layer::declare(scope(std::to_string(i)), stack.config, i, config.width));
  if (final_norm) stack.final_norm = Norm::declare(scope("norm"), config.width, config.norm);
  stack.name = std::move(name);
}

void LayerPiece::check(const LayerInputs& inputs) const {
  check_width(decoder_ ? "tgt" : encoder_ ? "src" : kind_ == "multiHeadAttention" ? "query" : "input", inputs.x, width_);
  if (inputs.key) check_width(decoder_ ? encoder_ ? "src" : "memory" : "key", *inputs.key, key_width_);
  if (inputs.value) check_width("value", *inputs.value, value_width_);
  // The largest of the matrices that the workspace will be asked for.
  for (const Array* rows : {&inputs.x, inputs.key ? &*inputs.key : &inputs.x}) check_room({rows->shape[0], rows->shape[1], inner_});
}

void LayerPiece::look_up(const Array& ids, Matrix out) const {
  const std::int64_t rows = embedding_.table->rows();
  for (std::int64_t i = 0; i < out.rows; ++i) {
    const float id = ids.data[std::size_t(i)];
    if (!(id >= 0 && id < float(rows)) || id != std::floor(id))
      throw Error(Code::invalid_argument, "input[{}]: {} found, a whole number less than {} expected", i, id, rows);
    embedding_.table->row(std::int64_t(id), out.row(i));
  }
}

Task<std::map<std::string, Array>> LayerPiece::forward(LayerInputs inputs, Workspace& workspace, Schedule& schedule) const {
  check(inputs);
  const Array& x = inputs.x;
  std::map<std::string, Array> results;
  Array made = checked_array({x.shape[0], x.shape[1], out_width_});
  const Matrix out = made.matrix();
  Pass pass{.workspace = workspace, .schedule = schedule};
  if (linear_.weight) co_await linear_.forward(x.matrix(), out, pass);
  else if (norm_.weight) norm_.forward(x.matrix(), out, pass);
  else if (embedding_.table) look_up(x, out);
  else if (ffn_.up.weight) co_await ffn_.forward(x.matrix(), out, "ffn", pass);
  else if (attention_.query.weight) co_await attend(inputs, out, results, pass);
  else {
    std::ranges::copy(x.data, made.data.begin());
    if (decoder_) {
      co_await decode(inputs, out, results, pass);
    } else if (encoder_) {
      StackConfig config = encoder_->config;
      config.causal = inputs.causal;
      const Rows rows = even_rows(x);
      co_await run(*encoder_, {.config = config, .rows = rows, .name = "encoder", .mask = data_or_null(inputs.mask)}, out, pass);
    } else {
      if (x.shape[1] > table_.shape[0])
        throw Error(Code::context_full, "positionalEncoding: {} positions found, max_len is {}", x.shape[1], table_.shape[0]);
      for (std::int64_t b = 0; b < x.shape[0]; ++b)
        add(out.rows_from(b * x.shape[1], x.shape[1]), table_.matrix().rows_from(0, x.shape[1]));
    }
  }
  results.emplace("output", std::move(made));
  co_return results;
}

Task<> LayerPiece::attend(const LayerInputs& inputs, Matrix out, std::map<std::string, Array>& results, Pass& pass) const {
  Recorder recorder({"layer.0.*.weights"});
  pass.observer = &recorder;
  StackConfig config = attention_config_;
  config.causal = inputs.causal;
  const std::int64_t keys = inputs.key ? inputs.key->shape[1] : inputs.x.shape[1];
  Array weights = checked_array({inputs.x.shape[0], config.heads, inputs.x.shape[1], keys});
  const Rows rows = even_rows(inputs.x);
  const std::vector<int> sources = one_each(inputs.x);
  Memory memory;
  StackPass call{.config = config, .rows = rows, .name = "layer", .memory = &memory, .sources = sources, .mask = data_or_null(inputs.mask)};
  if (inputs.key) {
    const Array& value = inputs.value ? *inputs.value : *inputs.key;
    check_width("value", value, value_width_);
    memory.begin = even_rows(*inputs.key).begin;
    const Shape shape{memory.begin.back(), std::int64_t(config.kv_heads) * config.head_size};
    memory.keys.push_back(checked_array(shape));
    memory.values.push_back(checked_array(shape));
    co_await attention_.key.forward(inputs.key->matrix(), memory.keys[0].matrix(), pass);
    co_await attention_.value.forward(value.matrix(), memory.values[0].matrix(), pass);
    call.memory_mask = data_or_null(inputs.mask);
    co_await attention_.cross(inputs.x.matrix(), out, 0, call, pass);
  } else {
    check_width("key", inputs.x, key_width_);
    check_width("value", inputs.x, value_width_);
    co_await attention_.self(inputs.x.matrix(), out, 0, call, pass);
  }
  auto to = weights.data.begin();
  if (!weights.data.empty()) {
    for (const Array& seen : recorder.seen(inputs.key ? "layer.0.cross_attention.weights" : "layer.0.self_attention.weights"))
      to = std::ranges::copy(seen.data, to).out;
  }
  results.emplace("weights", std::move(weights));
  pass.observer = nullptr;
}

Task<> LayerPiece::run(const Stack& stack, StackPass call, Matrix x, Pass& pass) const {
  for (int i = 0; i < stack.config.layers; ++i) co_await stack.layer(i).forward(x, i, call, pass);
  if (stack.final_norm) stack.final_norm->forward(x, x, pass);
}

Task<> LayerPiece::decode(const LayerInputs& inputs, Matrix x, std::map<std::string, Array>& results, Pass& pass) const {
  Array encoded = *inputs.key;
  const Rows rows = even_rows(inputs.x), sources = even_rows(encoded);
  if (encoder_) {
    StackConfig config = encoder_->config;
    config.causal = false;
    co_await run(*encoder_, {.config = config, .rows = sources, .name = "encoder", .mask = data_or_null(inputs.source_mask)},
                 encoded.matrix(), pass);
  }
  StackConfig config = decoder_->config;
  config.causal = inputs.causal;
  const Memory memory = co_await remember(*decoder_, sources, encoded.matrix(), pass);
  const std::vector<int> of_each = one_each(inputs.x);
  co_await run(*decoder_,
               {.config = config, .rows = rows, .name = "decoder", .memory = &memory, .sources = of_each, .mask = data_or_null(inputs.mask),
                .memory_mask = data_or_null(inputs.memory_mask)},
               x, pass);
  if (encoder_) results.emplace("memory", std::move(encoded));
}

}  // namespace webformer
