#include "decoding/generate.h"

#include <algorithm>

#include "core/error.h"
#include "decoding/generation_run.h"
#include "model/forward.h"

namespace webformer {

namespace {

constexpr std::int64_t default_new_tokens = 20;

/// How messages call prompt `number`.
std::string prompt_name(const GenerationRequest& request, std::size_t number) {
  return request.prompts.size() == 1 ? "the prompt" : format("prompt {}", number);
}

/// Where decoding of prompt `number` begins.
std::vector<std::int32_t> decoder_ids(const Session& session, const GenerationRequest& request, std::size_t number) {
  const GenerationConfig& config = request.config;
  if (!session.model().encoder) {
    if (!request.prompts[number].empty()) return request.prompts[number];
    if (config.bos_token_id) return {*config.bos_token_id};
    throw Error(Code::invalid_argument, "{}: 0 tokens found, at least 1 expected (there is no bosTokenId)",
                prompt_name(request, number));
  }
  const std::optional<std::int32_t> start = config.decoder_start_token_id ? config.decoder_start_token_id : config.bos_token_id;
  if (!start) throw Error(Code::invalid_argument, "decoderStartTokenId: none found, one expected (there is no bosTokenId either)");
  std::vector<std::int32_t> ids = request.decoder_prompts.empty() ? std::vector<std::int32_t>{} : request.decoder_prompts[number];
  if (ids.empty() || ids.front() != *start) ids.insert(ids.begin(), *start);
  return ids;
}

std::int64_t max_length_of(const Session& session, const GenerationRequest& request, std::size_t number, std::int64_t length) {
  const GenerationConfig& config = request.config;
  const std::int64_t context = session.max_length();
  if (length > context) {
    throw Error(Code::context_full, "{}: {} tokens, the context has {}", prompt_name(request, number), length, context)
        .with("found", length)
        .with("limit", context);
  }
  if (config.max_new_tokens) return std::min(length + *config.max_new_tokens, context);
  if (!config.max_length) return std::min(length + default_new_tokens, context);
  if (length >= *config.max_length) {
    throw Error(Code::invalid_argument, "maxLength: {} found, more than the {} tokens of {} expected (or maxNewTokens)", *config.max_length,
                length, prompt_name(request, number))
        .with("option", "maxLength");
  }
  return std::min(*config.max_length, context);
}

/// The attention of a finished sequence to its source, one pass over all of it: for each layer [H, tokens made, S].
Task<std::vector<Array>> cross_attentions(Session& session, const std::vector<std::int32_t>& source, const std::vector<std::int32_t>& ids,
                                          std::int64_t prompt_length, Schedule& schedule) {
  const auto made = std::int64_t(ids.size()) - prompt_length;
  ForwardInputs inputs;
  inputs.input_ids = {1, std::int64_t(source.size()), source};
  inputs.decoder_input_ids = {1, std::int64_t(ids.size()) - 1, {ids.begin(), ids.end() - 1}};
  ForwardOptions options;
  options.attentions = true;
  options.logits = ForwardOptions::Logits::none;
  const ModelOutput output = co_await forward(session.model(), std::move(inputs), std::move(options), session.workspace(), schedule);

  std::vector<Array> layers;
  for (const Array& all : output.cross_attentions) {  // [1, H, all decoder inputs, S]
    const std::int64_t heads = all.shape[1], queries = all.shape[2], keys = all.shape[3];
    Array layer(Shape{heads, made, keys});
    for (std::int64_t h = 0; h < heads; ++h) {
      const float* from = all.data.data() + (h * queries + prompt_length - 1) * keys;
      std::copy_n(from, made * keys, layer.data.data() + h * made * keys);
    }
    layers.push_back(std::move(layer));
  }
  co_return layers;
}

}  // namespace

Task<GenerationResult> generate(Session& session, const Tokenizer* tokenizer, GenerationRequest request, GenerationSink& sink,
                                Schedule& schedule) {
  const Model& model = session.model();
  if (!model.heads.lm) {
    throw Error(Code::invalid_argument, "{}: a model without a language-model head cannot generate", model.config.model_type);
  }
  const std::size_t count = request.prompts.size();
  if (!request.decoder_prompts.empty() && !model.encoder) {
    throw Error(Code::invalid_argument, "decoderInputIds: {} has no decoder beside an encoder; give inputIds only", model.config.model_type)
        .with("option", "decoderInputIds");
  }
  if (!request.decoder_prompts.empty() && request.decoder_prompts.size() != count) {
    throw Error(Code::invalid_argument, "decoderInputIds: {} found, {} expected, one a source", request.decoder_prompts.size(), count);
  }
  check(request.config, {std::int64_t(count), model.heads.lm->output.weight->rows(), tokenizer != nullptr});

  GenerationRun run{session, tokenizer, request.config, sink, schedule, request.entropy, {}, {}};
  const auto copies = std::size_t(request.config.num_return_sequences);
  for (std::size_t i = 0; i < count; ++i) {
    Prompt prompt{decoder_ids(session, request, i), 0};
    prompt.max_length = max_length_of(session, request, i, std::int64_t(prompt.ids.size()));
    run.prompts.push_back(std::move(prompt));
    run.result.usage.prompt_tokens += std::int64_t(model.encoder ? request.prompts[i].size() : run.prompts[i].ids.size());
    run.result.sequences.insert(run.result.sequences.end(), copies, run.prompts[i].ids);
  }
  run.result.texts.resize(count * copies);
  run.result.finish_reasons.resize(count * copies, FinishReason::length);
  if (request.config.return_scores) run.result.scores.resize(count * copies);

  const bool any_room = std::ranges::any_of(run.prompts, &Prompt::has_room);
  if (any_room && model.encoder) co_await session.encode(request.prompts, schedule);
  if (request.config.num_beams > 1) {
    co_await generate_beams(run);
  } else {
    co_await generate_rows(run);
  }
  if (request.config.attentions && model.encoder) {
    for (std::size_t row = 0; row < run.result.sequences.size(); ++row) {
      const auto length = std::int64_t(run.prompts[row / copies].ids.size());
      std::vector<Array> layers;
      if (std::int64_t(run.result.sequences[row].size()) > length) {
        layers = co_await cross_attentions(session, request.prompts[row / copies], run.result.sequences[row], length, schedule);
      }
      run.result.cross_attentions.push_back(std::move(layers));
    }
  }
  co_return std::move(run.result);
}

}  // namespace webformer
