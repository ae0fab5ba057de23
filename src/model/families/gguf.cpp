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

void write_rope(JsonWriter& json, const Keys& keys) {
  const auto* type = keys.find("rope.scaling.type") ? std::get_if<std::string>(keys.find("rope.scaling.type")) : nullptr;
  if (!type || *type == "none") return;
  json.key("rope_scaling");
  json.begin_object();
  json.member("rope_type", std::string_view(*type));
  copy_numbers(json, keys,
               {{"rope.scaling.factor", "factor"}, {"rope.scaling.original_context_length", "original_max_position_embeddings"}});
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
                {"attention.head_count_kv", "num_key_value_heads"},
                {"attention.key_length", "head_dim"},
                {"attention.layer_norm_rms_epsilon", "rms_norm_eps"},
                {"attention.sliding_window", "sliding_window"},
                {"attn_logit_softcapping", "attn_logit_softcapping"},
                {"final_logit_softcapping", "final_logit_softcapping"},
                {"rope.freq_base", "rope_theta"}});
  write_rope(json, keys);
  json.member("tie_word_embeddings", true);  // the file has an output matrix where they are not
  const Keys ids{metadata, "tokenizer.ggml."};
  copy_numbers(json, ids, {{"bos_token_id", "bos_token_id"}, {"eos_token_id", "eos_token_id"}, {"padding_token_id", "pad_token_id"}});
  json.end();
  return std::move(json).text();
}

void adapt_to_gguf(const Metadata& metadata, ModelConfig& config) {
  const Architecture& a = architecture_of(metadata);
  if (a.interleaved_rope) {
    for (RopeConfig& rope : config.decoder.ropes) rope.layout = RopeLayout::interleaved;
  }
  config.decoder.norm.weight_offset = 0;
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
                                          {"heads.lm.output", "output"}},
                                 .ignored = {"attn_rot_embd.freqs"}};
  return names;
}

}  // namespace webformer
