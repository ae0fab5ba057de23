#include "table_model.h"

#include <cmath>

#include "core/format.h"
#include "formats/safetensors.h"
#include "model/loader.h"

namespace webformer {

std::shared_ptr<const Model> table_model(const std::vector<std::vector<float>>& logits, std::int64_t context) {
  const auto size = std::int64_t(logits.size());
  const std::string json = webformer::format(
      R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": {}, "hidden_size": {}, "num_hidden_layers": 1,
          "num_attention_heads": 1, "intermediate_size": 2, "max_position_embeddings": {}, "rms_norm_eps": 1e-12})",
      size, size, context);
  // One-hot embeddings go through untouched; the last norm multiplies them by sqrt(V), which its weight takes back.
  const auto square = std::size_t(size * size);
  std::vector<float> identity(square), head(square), zeros(square), ones(std::size_t(size), 1);
  const std::vector<float> norm(std::size_t(size), float(1 / std::sqrt(double(size))));
  for (std::int64_t t = 0; t < size; ++t) {
    identity[std::size_t(t * size + t)] = 1;
    for (std::int64_t v = 0; v < size; ++v) head[std::size_t(v * size + t)] = logits[std::size_t(t)][std::size_t(v)];
  }
  std::vector<SafetensorsTensor> tensors;
  const auto add = [&](std::string name, Shape shape, const std::vector<float>& numbers) {
    tensors.push_back({{std::move(name), DType::f32, shape}, std::as_bytes(std::span(numbers).first(std::size_t(shape.size())))});
  };
  add("model.embed_tokens.weight", {size, size}, identity);
  const std::string layer = "model.layers.0.";
  for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) add(layer + "self_attn." + name + ".weight", {size, size}, zeros);
  for (const char* name : {"gate_proj", "up_proj"}) add(layer + "mlp." + name + ".weight", {2, size}, zeros);
  add(layer + "mlp.down_proj.weight", {size, 2}, zeros);
  for (const char* name : {"input_layernorm", "post_attention_layernorm"}) add(layer + name + ".weight", {size}, ones);
  add("model.norm.weight", {size}, norm);
  add("lm_head.weight", {size, size}, head);

  const std::vector<std::byte> file = write_safetensors(tensors);
  const std::span bytes(file);
  const std::uint64_t header = safetensors_header_bytes(bytes.first(8), bytes.size(), "table.safetensors");
  const TensorTable table = parse_safetensors_header(bytes.first(header), bytes.size(), "table.safetensors");
  const JsonDocument config = JsonDocument::parse(json, "config.json");
  ModelLoader loader(config.root(), WeightPolicy::f32);
  loader.bind(table, true);
  for (const TensorInfo& tensor : table.tensors) loader.fill(tensor, bytes.subspan(tensor.begin, tensor.end - tensor.begin));
  return loader.finish();
}

std::vector<std::vector<float>> counting_logits() {
  std::vector<std::vector<float>> logits(8, std::vector<float>(8, 0));
  for (std::size_t t = 0; t < 8; ++t) {
    logits[t][(t + 1) % 8] = 4;
    logits[t][(t + 2) % 8] = 2;
  }
  return logits;
}

GenerationConfig ending_at_zero() {
  GenerationConfig config;
  config.eos_token_id = {0};
  return config;
}

GenerationRequest request_of(std::vector<std::vector<std::int32_t>> prompts, GenerationConfig config) {
  return {std::move(prompts), {}, std::move(config), 12345};
}

std::vector<std::int32_t> streamed(const Generated& made, std::int64_t index) {
  std::vector<std::int32_t> ids;
  for (const GenerationItem& item : made.items) {
    if (item.index == index) ids.insert(ids.end(), item.ids.begin(), item.ids.end());
  }
  return ids;
}

Generated run_generation(Session& session, GenerationRequest request, const Tokenizer* tokenizer) {
  Generated made;
  GenerationSink sink;
  Schedule schedule;
  Job<GenerationResult> job(schedule, generate(session, tokenizer, std::move(request), sink, schedule));
  for (bool done = false; !done;) {
    done = job.step();
    ++made.steps;
    for (GenerationItem& item : sink.items) made.items.push_back(std::move(item));
    sink.items.clear();
  }
  made.result = job.take();
  return made;
}

bool all_released(Session& session) {
  const int sequence = session.add_sequence();
  session.release(sequence);
  return sequence == 0;
}

}  // namespace webformer
