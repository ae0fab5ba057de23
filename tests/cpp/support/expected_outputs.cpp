#include "support/expected_outputs.h"

#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "model/session.h"

namespace webformer::test {

namespace {

IdMatrix ids_of(const Json& value) {
  IdMatrix ids;
  if (value.is_null()) return ids;
  for (const Json& row : value.items()) {
    const std::vector<Json> numbers = row.is_array() ? row.items() : std::vector<Json>{row};
    ids.cols = std::int64_t(numbers.size());
    ++ids.rows;
    for (const Json& number : numbers) ids.data.push_back(std::int32_t(number.get_integer()));
  }
  return ids;
}

ForwardInputs inputs_of(const Json& in, const Json& labels) {
  return {.input_ids = ids_of(in["input_ids"]),
          .attention_mask = ids_of(in["attention_mask"]),
          .token_type_ids = ids_of(in["token_type_ids"]),
          .position_ids = ids_of(in["position_ids"]),
          .decoder_input_ids = ids_of(in["decoder_input_ids"]),
          .decoder_attention_mask = ids_of(in["decoder_attention_mask"]),
          .labels = ids_of(labels["labels"]),
          .float_labels = {},
          .next_sentence_label = ids_of(labels["next_sentence_label"]).data,
          .start_positions = ids_of(labels["start_positions"]).data,
          .end_positions = ids_of(labels["end_positions"]).data};
}

void flatten(const Json& value, std::vector<double>& numbers) {
  if (!value.is_array()) return numbers.push_back(value.get_number());
  for (const Json& item : value.items()) flatten(item, numbers);
}

/// max |got - expected| over what the mask shows, relative to max(1, max |expected|). The mask runs along `axis` of the shape, if it has
/// one. Infinite where the sizes differ.
double error_of(const Array& got, const Json& expected, const IdMatrix& mask, int axis) {
  std::vector<double> want;
  flatten(expected, want);
  if (want.size() != got.data.size()) return INFINITY;
  const bool masked = mask.given() && axis > 0 && axis < got.shape.rank() && mask.cols == got.shape[axis];
  std::int64_t inner = 1;
  for (int a = axis + 1; a < got.shape.rank(); ++a) inner *= got.shape[a];
  const std::int64_t per_row = got.size() / std::max<std::int64_t>(got.shape[0], 1);
  double worst = 0, scale = 1;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto at = std::int64_t(i);
    scale = std::max(scale, std::abs(want[i]));
    if (masked && mask.at(at / per_row, at / inner % got.shape[axis]) == 0) continue;
    const double difference = std::abs(want[i] - got.data[i]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst / scale;
}

struct Found {
  const std::optional<Array>* output = nullptr;
  const std::vector<Array>* list = nullptr;
  bool of_decoder = false;
  int axis = -1;
};

Found find_output(const ModelOutput& out, std::string_view key, bool both) {
  if (key == "last_hidden_state") return {.output = &out.last_hidden_state, .of_decoder = both, .axis = 1};
  if (key == "encoder_last_hidden_state") return {.output = &out.encoder_last_hidden_state, .axis = 1};
  if (key == "pooler_output") return {.output = &out.pooled};
  if (key == "logits" || key == "prediction_logits") return {.output = &out.logits, .of_decoder = both, .axis = 1};
  if (key == "seq_relationship_logits") return {.output = &out.next_sentence_logits};
  if (key == "start_logits") return {.output = &out.start_logits, .axis = 1};
  if (key == "end_logits") return {.output = &out.end_logits, .axis = 1};
  if (key == "attentions") return {.list = &out.attentions, .axis = 2};
  if (key == "encoder_attentions") return {.list = &out.encoder_attentions, .axis = 2};
  if (key == "decoder_attentions") return {.list = &out.decoder_attentions, .of_decoder = true, .axis = 2};
  if (key == "cross_attentions") return {.list = &out.cross_attentions, .of_decoder = true, .axis = 2};
  return {};
}

}  // namespace

std::vector<std::string> wrong_outputs(const Model& model, const Json& in, const Json& labels, const Json& outputs, double tolerance) {
  const ForwardInputs inputs = inputs_of(in, labels);
  Workspace workspace;
  Schedule schedule;
  const ModelOutput out =
      Job<ModelOutput>(schedule, forward(model, inputs, {.attentions = true, .hidden_states = true}, workspace, schedule)).finish();

  std::vector<std::string> wrong;
  const auto hold = [&](std::string_view key, double error) {
    if (!(error <= tolerance)) wrong.push_back(webformer::format("{}: off by {}", key, error));
  };
  for (const auto& [key, expected] : outputs.members()) {
    if (expected.is_null()) continue;
    if (key == "loss") {
      hold(key, out.loss ? std::abs(*out.loss / expected.get_number() - 1) : INFINITY);
      continue;
    }
    const Found found = find_output(out, key, model.config.kind == Kind::encoder_decoder);
    const IdMatrix& mask = found.of_decoder ? inputs.decoder_attention_mask : inputs.attention_mask;
    if (found.output && *found.output) {
      hold(key, error_of(**found.output, expected, mask, found.axis));
    } else if (found.list && found.list->size() == expected.items().size()) {
      for (std::size_t layer = 0; layer < found.list->size(); ++layer)
        hold(webformer::format("{} of layer {}", key, layer), error_of((*found.list)[layer], expected.items()[layer], mask, found.axis));
    } else {
      wrong.push_back(webformer::format("{}: not there", key));
    }
  }
  return wrong;
}

std::vector<std::string> wrong_tokens(std::shared_ptr<const Model> model, const Json& inputs, const Json& tokens) {
  Session session(model);
  Schedule schedule;
  IdMatrix first = ids_of(inputs["input_ids"]);
  first.data.resize(std::size_t(first.cols));
  std::vector<std::int32_t> fed = first.data;
  if (model->encoder) {
    Job<>(schedule, session.encode({fed}, schedule)).finish();
    fed = {model->config.decoder_start_token_id};
  }
  const int sequence = session.add_sequence();
  std::vector<std::string> wrong;
  for (const Json& token : tokens.items()) {
    const Matrix logits = Job<Matrix>(schedule, session.step({{sequence, fed}}, schedule)).finish();
    const auto made = std::int32_t(std::max_element(logits.data, logits.data + logits.cols) - logits.data);
    if (made != token.get_integer()) wrong.push_back(webformer::format("token {} made, {} expected", made, token.get_integer()));
    fed = {made};
  }
  return wrong;
}

}  // namespace webformer::test
