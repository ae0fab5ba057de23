#include "model/forward.h"

#include <algorithm>

#include "model/forward_call.h"
#include "model/loss.h"
#include "model/remember.h"

namespace webformer {

namespace {

/// Teacher forcing: what the decoder reads is the target, one to the right, behind the start token (Hugging Face's shift_tokens_right).
IdMatrix shift_right(const IdMatrix& ids, const ModelConfig& c) {
  IdMatrix shifted{ids.rows, ids.cols, std::vector<std::int32_t>(ids.data.size())};
  for (std::int64_t b = 0; b < ids.rows; ++b) {
    std::int32_t start = c.decoder_start_token_id;
    for (std::int64_t t = 0; t < ids.cols; ++t) {
      const std::int32_t id = ids.at(b, t) == ignored_label ? c.pad_token_id : ids.at(b, t);
      if (c.starts_with_last && id != c.pad_token_id) start = id;
      if (t + 1 < ids.cols) shifted.data[std::size_t(b * ids.cols + t + 1)] = id;
    }
    if (ids.cols > 0) shifted.data[std::size_t(b * ids.cols)] = start;
  }
  return shifted;
}

std::vector<std::string> watched(const ForwardOptions& options) {
  std::vector<std::string> patterns = options.trace;
  if (options.attentions) patterns.emplace_back("*.*.{self,cross}_attention.weights");
  if (options.hidden_states) patterns.emplace_back("*.hidden.*");
  return patterns;
}

void check_output_size(const ForwardCall& call) {
  const Packed& top = call.top();
  const StackConfig& c = call.config().top();
  std::int64_t floats = top.batch * top.length * c.width;
  if (call.model.heads.lm) floats += count_logit_rows(call) * call.model.heads.lm->output.weight->rows();
  if (call.options.hidden_states) floats += top.batch * top.length * c.width * (c.layers + 1);
  if (call.options.attentions) floats += top.batch * c.heads * c.layers * top.length * std::max(top.length, call.source.length);
  const std::uint64_t bytes = std::uint64_t(floats) * sizeof(float), limit = call.options.memory_limit;
  if (limit && bytes > limit) {
    throw Error(Code::out_of_memory, "the outputs take {} bytes, {} are available", bytes, limit)
        .with("needed", bytes)
        .with("limit", limit);
  }
}

/// The tokens of each row that are seen, padding not counted.
void check_length(const Packed& p, std::int64_t context_length, std::string_view name) {
  for (int b = 0; b < p.tokens.rows.sequences(); ++b) {
    const std::int64_t length = p.tokens.rows.keys(b);
    if (length <= context_length) continue;
    throw Error(Code::context_full, "{}: row {} has {} tokens, the model has {} positions", name, b, length, context_length)
        .with("found", length)
        .with("limit", context_length);
  }
}

/// Inputs that only a decoder beside an encoder reads.
void refuse_decoder_inputs(const ForwardInputs& in, const ModelConfig& c) {
  const std::string_view given = in.decoder_input_ids.given()        ? "decoderInputIds"
                                 : in.decoder_attention_mask.given() ? "decoderAttentionMask"
                                                                     : "";
  if (given.empty()) return;
  throw Error(Code::invalid_argument, "{}: {} has no decoder beside an encoder; give inputIds only", given, c.model_type)
      .with("option", given);
}

}  // namespace

void read_inputs(ForwardCall& call) {
  ForwardInputs& in = call.inputs;
  const ModelConfig& c = call.config();
  if (!in.input_ids.given()) throw Error(Code::invalid_argument, "inputIds: missing");
  if (c.kind != Kind::encoder_decoder) refuse_decoder_inputs(in, c);
  if (c.kind == Kind::decoder) {
    call.target = pack(in.input_ids, in.attention_mask, in.token_type_ids, in.position_ids, c.decoder, c.pad_token_id, call.options.padding,
                       "inputIds");
    check_length(call.target, c.context_length, "inputIds");
    check_tokens(call.target.tokens, call.model.decoder->embeddings, c.decoder, c.context_length);
    return;
  }
  const bool keep_padding = call.options.padding || c.head == Head::question_answering;  // whose softmax runs over the padding too
  call.source =
      pack(in.input_ids, in.attention_mask, in.token_type_ids, in.position_ids, c.encoder, c.pad_token_id, keep_padding, "inputIds");
  check_length(call.source, c.context_length, "inputIds");
  check_tokens(call.source.tokens, call.model.encoder->embeddings, c.encoder, c.context_length);
  if (c.kind == Kind::encoder) return;
  if (!in.decoder_input_ids.given()) {
    const bool from_labels = in.labels.given() && c.head == Head::causal_lm;
    if (!from_labels && c.head == Head::causal_lm)
      throw Error(Code::invalid_argument, "decoderInputIds: missing, and there are no labels to take them from");
    in.decoder_input_ids = shift_right(from_labels ? in.labels : in.input_ids, c);
  }
  if (in.decoder_input_ids.rows != in.input_ids.rows) {
    throw Error(Code::invalid_argument, "decoderInputIds: {} rows, {} expected as in inputIds", in.decoder_input_ids.rows,
                in.input_ids.rows);
  }
  call.target =
      pack(in.decoder_input_ids, in.decoder_attention_mask, {}, {}, c.decoder, c.pad_token_id, call.options.padding, "decoderInputIds");
  check_length(call.target, c.context_length, "decoderInputIds");
  check_tokens(call.target.tokens, call.model.decoder->embeddings, c.decoder, c.context_length);
}

StackPass encoder_pass(const ForwardCall& call) {
  const Stack& stack = *call.model.encoder;
  return {.config = stack.config, .rows = call.source.tokens.rows, .name = stack.name};
}

StackPass decoder_pass(const ForwardCall& call) {
  const Stack& stack = *call.model.decoder;
  return {.config = stack.config, .rows = call.target.tokens.rows, .name = stack.name, .memory = &call.memory, .sources = call.sources};
}

Task<> run_stacks(ForwardCall& call) {
  const Model& model = call.model;
  Workspace& workspace = call.pass.workspace;
  if (model.encoder) {
    call.hidden = workspace.matrix(call.source.tokens.rows.total(), model.encoder->config.width);
    co_await model.encoder->forward(call.source.tokens, encoder_pass(call), call.hidden, call.pass);
  }
  if (model.decoder) {
    if (model.encoder) {
      call.encoded = call.hidden;
      call.memory = co_await remember(*model.decoder, call.source.tokens.rows, call.encoded, call.pass);
      for (int b = 0; b < call.target.tokens.rows.sequences(); ++b) call.sources.push_back(b);
    }
    call.hidden = workspace.matrix(call.target.tokens.rows.total(), model.decoder->config.output_width());
    co_await model.decoder->forward(call.target.tokens, decoder_pass(call), call.hidden, call.pass);
  }
  if (!all_finite(call.hidden)) throw Error(Code::numeric_error, "the last hidden state: a number of it is NaN or infinite");
}

Task<ModelOutput> forward(const Model& model, ForwardInputs inputs, ForwardOptions options, Workspace& workspace, Schedule& schedule) {
  Scope scope(workspace);
  ForwardCall call{
      .model = model, .inputs = std::move(inputs), .options = std::move(options), .recorder = Recorder({}), .pass = {workspace, schedule}};
  call.pass.device = call.options.device;
  call.recorder = Recorder(watched(call.options));
  if (!call.recorder.wants_nothing()) call.pass.observer = &call.recorder;
  read_inputs(call);
  check_output_size(call);
  co_await run_stacks(call);
  if (call.encoded.data) call.output.encoder_last_hidden_state = call.source.unpack(call.encoded);
  call.output.last_hidden_state = call.top().unpack(call.hidden);
  co_await run_heads(call);
  compute_loss(call);
  collect_watched(call);
  co_return std::move(call.output);
}

}  // namespace webformer
