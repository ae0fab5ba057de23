#include "wasm/model_info.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "kernels/weights.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Zero-shot classification asks a model of natural-language inference, which has this label.
bool can_entail(const ModelConfig& config) {
  return std::ranges::any_of(config.labels, [](std::string label) {
    std::ranges::transform(label, label.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return label.starts_with("entail");
  });
}

std::vector<std::string> tasks_of(const ModelConfig& config) {
  switch (config.head) {
    case Head::masked_lm:
      return {"fill-mask", "feature-extraction"};
    case Head::pretraining:
      return {"fill-mask", "next-sentence", "feature-extraction"};
    case Head::next_sentence:
      return {"next-sentence", "feature-extraction"};
    case Head::sequence_classification:
      return can_entail(config) ? std::vector<std::string>{"text-classification", "zero-shot-classification"}
                                : std::vector<std::string>{"text-classification"};
    case Head::token_classification:
      return {"token-classification"};
    case Head::question_answering:
      return {"question-answering"};
    case Head::causal_lm:
      if (config.kind == Kind::decoder) return {"text-generation", "feature-extraction"};
      if (is_any_of(config.model_type, {"marian", "m2m_100"})) return {"translation", "text2text-generation"};
      if (is_any_of(config.model_type, {"bart", "pegasus"})) return {"summarization", "text2text-generation"};
      return {"translation", "summarization", "text2text-generation"};
    case Head::none:
      return {"feature-extraction"};
  }
  return {};
}

bool has_labels(Head head) { return head == Head::sequence_classification || head == Head::token_classification; }

/// As the weights are kept now: training makes f32 of them.
std::size_t bytes_of(const Model& model) {
  std::size_t bytes = 0;
  for (const Weight& weight : model.weights) bytes += weight.matrix ? weight.matrix->bytes() : weight.vector->size() * sizeof(float);
  return bytes;
}

std::string_view kind_of(Kind kind) { return kind == Kind::encoder ? "encoder" : kind == Kind::decoder ? "decoder" : "encoder-decoder"; }

}  // namespace

val model_info(const Model& model) {
  const ModelConfig& config = model.config;
  const StackConfig& top = config.top();
  val info = val::object();
  info.set("modelType", to_js(config.model_type));
  info.set("kind", to_js(kind_of(config.kind)));
  info.set("tasks", to_js(tasks_of(config)));
  info.set("parameters", double(model.parameters));
  info.set("bytes", double(bytes_of(model)));
  info.set("dtype", to_js(name(model.top().layers.front().self_attention.query.weight->type())));
  info.set("contextLength", double(config.context_length));
  info.set("vocabSize", config.vocab_size);
  info.set("layers", top.layers);
  if (config.kind == Kind::encoder_decoder) {
    info.set("encoderLayers", config.encoder.layers);
    info.set("decoderLayers", config.decoder.layers);
  }
  info.set("heads", top.heads);
  info.set("width", top.width);
  info.set("labels", has_labels(config.head) ? to_js(config.labels) : val::array());
  info.set("unusedWeights", to_js(model.unused_weights));
  return info;
}

}  // namespace webformer
