#include "model/families/gguf.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "formats/json_writer.h"

namespace webformer {

namespace {

/// One architecture of llama.cpp's, and the family that it is.
struct Architecture {
  std::string_view name;
  std::string_view model_type;
  std::string_view class_name;
  bool interleaved_rope = false;  ///< queries and keys are stored so that RoPE turns neighbours
};

constexpr std::array architectures{Architecture{"gemma", "gemma", "GemmaForCausalLM"},
                                   Architecture{"gemma2", "gemma2", "Gemma2ForCausalLM"},
                                   Architecture{"gemma3", "gemma3_text", "Gemma3ForCausalLM"},
                                   Architecture{"llama", "llama", "LlamaForCausalLM", true},
                                   Architecture{"phi3", "phi3", "Phi3ForCausalLM"},
                                   Architecture{"qwen2", "qwen2", "Qwen2ForCausalLM"},
                                   Architecture{"qwen3", "qwen3", "Qwen3ForCausalLM"}};

const Architecture& architecture_of(const Metadata& metadata) {
  const auto* name = metadata.find<std::string>("general.architecture");
  if (!name) throw Error(Code::invalid_file, "GGUF: general.architecture is missing");
  std::string list;
  for (const Architecture& a : architectures) {
    if (a.name == *name) return a;
    list += (list.empty() ? "" : ", ") + std::string(a.name);
  }
  throw Error(Code::unsupported_model, "GGUF: general.architecture is \"{}\", one of {} expected", *name, list)
      .with("found", *name)
      .with("supported", list);
}

/// Keys of the architecture: "llama.block_count".
struct Keys {
  const Metadata& metadata;
  std::string prefix;

  const MetadataValue* find(std::string_view key) const { return metadata.find(prefix + std::string(key)); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  double number(std::string_view key) const {
    const MetadataValue* value = find(key);
    if (value) {
      if (const auto* whole = std::get_if<std::int64_t>(value)) return double(*whole);
      if (const auto* real = std::get_if<double>(value)) return *real;
    }
    throw Error(Code::invalid_file, "GGUF: {}{} is {}, a number expected", prefix, key, value ? "of another type" : "missing");
  }
};

/// Copies keys that are there to their names in config.json.
void copy_numbers(JsonWriter& json, const Keys& keys, std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  for (const auto& [theirs, ours] : names) {
    if (!keys.has(theirs)) continue;
    const double value = keys.number(theirs);
    const auto whole = std::int64_t(value);
    double(whole) == value ? json.member(ours, whole) : json.member(ours, value);
  }
}

/// What llama.cpp computes with, and no code here: refused unless it says what is computed anyway.
void check_keys(const Keys& keys, double head_size) {
  const auto only = [&](std::string_view key, double supported) {
    if (!keys.has(key) || keys.number(key) == supported) return;
    throw Error(Code::unsupported_model, "GGUF: {}{} is {}, only {} is supported", keys.prefix, key, keys.number(key), supported);
  };
  only("attention.value_length", head_size);
  for (const std::string_view key :
       {"expert_count", "attention.clamp_kqv", "attention.max_alibi_bias", "attention.scale", "attention.output_scale",
        "attention.shared_kv_layers", "attention.temperature_length", "logit_scale", "residual_scale", "embedding_scale"})
    only(key, 0);
  for (const std::string_view key : {"rope.scale_linear", "rope.scaling.yarn_ext_factor", "rope.scaling.yarn_attn_factor"}) only(key, 1);
  const auto* causal = keys.find("attention.causal") ? std::get_if<bool>(keys.find("attention.causal")) : nullptr;
  if (causal && !*causal) throw Error(Code::unsupported_model, "GGUF: {}attention.causal is false, only true is supported", keys.prefix);
}

void write_rope(JsonWriter& json, const Keys& keys, double head_size) {
  if (keys.has("rope.dimension_count")) json.member("partial_rotary_factor", keys.number("rope.dimension_count") / head_size);
  const auto* type = keys.find("rope.scaling.type") ? std::get_if<std::string>(keys.find("rope.scaling.type")) : nullptr;
  if (!type || *type == "none") return;
  json.key("rope_scaling");
  json.begin_object();
  json.member("rope_type", std::string_view(*type));
  copy_numbers(json, keys,
               {{"rope.scaling.factor", "factor"},
                {"rope.scaling.original_context_length", "original_max_position_embeddings"},
                {"rope.scaling.attn_factor", "attention_factor"},
                {"rope.scaling.yarn_beta_fast", "beta_fast"},
                {"rope.scaling.yarn_beta_slow", "beta_slow"}});
  json.end();
}

}  // namespace

std::string gguf_config(const Metadata& metadata) {
  const Architecture& a = architecture_of(metadata);
  const Keys keys{metadata, std::string(a.name) + "."};
  const auto* tokens = metadata.find<std::vector<std::string>>("tokenizer.ggml.tokens");
  JsonWriter json;
  json.begin_object();
  json.member("model_type", a.model_type);
  json.key("architectures");
  json.begin_array();
  json.value(a.class_name);
  json.end();
  if (tokens) json.member("vocab_size", std::int64_t(tokens->size()));
  else copy_numbers(json, keys, {{"vocab_size", "vocab_size"}});
  copy_numbers(json, keys,
               {{"context_length", "max_position_embeddings"},
                {"embedding_length", "hidden_size"},
                {"block_count", "num_hidden_layers"},
                {"feed_forward_length", "intermediate_size"},
                {"attention.head_count", "num_attention_heads"},
                {"attention.layer_norm_rms_epsilon", "rms_norm_eps"},
                {"attention.sliding_window", "sliding_window"},
                {"attn_logit_softcapping", "attn_logit_softcapping"},
                {"final_logit_softcapping", "final_logit_softcapping"},
                {"attention.sliding_window_pattern", "sliding_window_pattern"},
                {"rope.freq_base", "rope_theta"},
                {"rope.freq_base_swa", "rope_local_base_freq"}});
  const double width_of_one = keys.number("embedding_length") / keys.number("attention.head_count");
  const double head_size = keys.has("attention.key_length") ? keys.number("attention.key_length") : width_of_one;
  // llama.cpp's defaults for what the file is silent about, not those of the family.
  json.member("num_key_value_heads", keys.number(keys.has("attention.head_count_kv") ? "attention.head_count_kv" : "attention.head_count"));
  json.member("head_dim", head_size);
  check_keys(keys, head_size);
  write_rope(json, keys, head_size);
  // Gemma 2 and 3: not in the file. The models of 27 billion parameters have it otherwise than the rest.
  const double layers = keys.number("block_count");
  const bool is_27b = (a.name == "gemma2" && layers == 46) || (a.name == "gemma3" && layers == 62);
  json.member("query_pre_attn_scalar", is_27b ? width_of_one : head_size);
  json.member("tie_word_embeddings", true);  // the file has an output matrix where they are not
  const Keys ids{metadata, "tokenizer.ggml."};
  copy_numbers(json, ids, {{"bos_token_id", "bos_token_id"}, {"eos_token_id", "eos_token_id"}, {"padding_token_id", "pad_token_id"}});
  if (!ids.has("eos_token_id")) json.key("eos_token_id"), json.null();
  if (!ids.has("padding_token_id")) json.key("pad_token_id"), json.null();
  json.end();
  return std::move(json).text();
}

void adapt_to_gguf(const Metadata& metadata, ModelConfig& config) {
  const Architecture& a = architecture_of(metadata);
  if (a.interleaved_rope) {
    for (RopeConfig& rope : config.decoder.ropes) rope.layout = RopeLayout::interleaved;
  }
  config.decoder.norm.weight_offset = 0;
  // LongRoPE of Phi-3: the factors are tensors, of which those for short texts are read.
  const Keys keys{metadata, std::string(a.name) + "."};
  if (keys.has("rope.scaling.type") || config.decoder.ropes.empty()) return;
  RopeConfig& rope = config.decoder.ropes[0];
  if (keys.has("rope.scaling.attn_factor")) rope.magnitude = float(keys.number("rope.scaling.attn_factor"));
  if (keys.has("rope.scaling.original_context_length")) {
    rope.longest = std::int64_t(keys.number("rope.scaling.original_context_length"));
    config.context_length = std::min(config.context_length, rope.longest);
  }
}

const WeightNames& gguf_names() {
  static const WeightNames names{.prefixes = {""},
                                 .rows = {{"decoder.embed.tokens", "token_embd"},
                                          {"decoder.#.attention_norm", "blk.#.attn_norm"},
                                          {"decoder.#.attention_output_norm", "blk.#.post_attention_norm"},
                                          {"decoder.#.self_attention.query", "blk.#.attn_q"},
                                          {"decoder.#.self_attention.key", "blk.#.attn_k"},
                                          {"decoder.#.self_attention.value", "blk.#.attn_v"},
                                          {"decoder.#.self_attention.query", "blk.#.attn_qkv", Part::query},
                                          {"decoder.#.self_attention.key", "blk.#.attn_qkv", Part::key},
                                          {"decoder.#.self_attention.value", "blk.#.attn_qkv", Part::value},
                                          {"decoder.#.self_attention.output", "blk.#.attn_output"},
                                          {"decoder.#.self_attention.query_norm", "blk.#.attn_q_norm"},
                                          {"decoder.#.self_attention.key_norm", "blk.#.attn_k_norm"},
                                          {"decoder.#.ffn_norm", "blk.#.ffn_norm"},
                                          {"decoder.#.ffn_output_norm", "blk.#.post_ffw_norm"},
                                          {"decoder.#.ffn.gate", "blk.#.ffn_gate"},
                                          {"decoder.#.ffn.gate", "blk.#.ffn_up", Part::first_half},
                                          {"decoder.#.ffn.up", "blk.#.ffn_up"},
                                          {"decoder.#.ffn.up", "blk.#.ffn_up", Part::second_half},
                                          {"decoder.#.ffn.down", "blk.#.ffn_down"},
                                          {"decoder.norm", "output_norm"},
                                          {"decoder.rope_factors", "rope_freqs.weight"},
                                          {"decoder.rope_factors", "rope_factors_short.weight"},
                                          {"heads.lm.output", "output"}},
                                 .ignored = {"attn_rot_embd.freqs", "rope_factors_long.weight"}};
  return names;
}

}  // namespace webformer
