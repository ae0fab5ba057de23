#include <doctest/doctest.h>

#include "core/error.h"
#include "model/forward.h"
#include "support/tiny_models.h"

using namespace webformer;

namespace {

IdMatrix row(std::int64_t length) { return {1, length, std::vector<std::int32_t>(std::size_t(length), 3)}; }

/// What is thrown; internal_error where nothing is.
Code code_of(const Model& model, ForwardInputs inputs) {
  Workspace workspace;
  Schedule schedule;
  try {
    Job<ModelOutput>(schedule, forward(model, std::move(inputs), {.logits = ForwardOptions::Logits::none}, workspace, schedule)).finish();
  } catch (const Error& error) {
    return error.code();
  }
  return Code::internal_error;
}

std::vector<test::TinyModel> all_models() {
  std::vector<test::TinyModel> models = test::generating_models();
  models.insert(models.end(), test::labelling_models().begin(), test::labelling_models().end());
  return models;
}

/// Inputs of a whole pass.
ForwardInputs inputs_of(const Model& model, IdMatrix ids) {
  ForwardInputs inputs{.input_ids = std::move(ids)};
  if (model.config.kind == Kind::encoder_decoder) inputs.decoder_input_ids = row(1);
  return inputs;
}

}  // namespace

TEST_CASE("more tokens than the context, or a position beyond it, are context_full with every kind of positions") {
  for (const auto& tiny : all_models()) {
    CAPTURE(tiny.name);
    const auto model = test::make_model(tiny.config);
    const std::int64_t context = model->config.context_length;
    CHECK(code_of(*model, inputs_of(*model, row(context + 1))) == Code::context_full);
    ForwardInputs inputs = inputs_of(*model, row(2));
    inputs.position_ids = {1, 2, {0, std::int32_t(context) + 100}};
    CHECK(code_of(*model, std::move(inputs)) == Code::context_full);
    if (model->config.kind != Kind::encoder_decoder) continue;
    inputs = inputs_of(*model, row(2));
    inputs.decoder_input_ids = row(context + 1);
    CHECK(code_of(*model, std::move(inputs)) == Code::context_full);
  }
}

TEST_CASE("what only a decoder beside an encoder reads is refused by other models") {
  for (const auto& tiny : all_models()) {
    const auto model = test::make_model(tiny.config);
    if (model->config.kind == Kind::encoder_decoder) continue;
    CAPTURE(tiny.name);
    CHECK(code_of(*model, {.input_ids = row(2), .decoder_input_ids = row(2)}) == Code::invalid_argument);
    CHECK(code_of(*model, {.input_ids = row(2), .decoder_attention_mask = row(2)}) == Code::invalid_argument);
  }
}

TEST_CASE("token types are refused by models that have none, all of type 0 too") {
  int with_types = 0, without = 0;
  for (const auto& tiny : all_models()) {
    const auto model = test::make_model(tiny.config);
    if (model->config.kind != Kind::encoder) continue;
    CAPTURE(tiny.name);
    ForwardInputs inputs{.input_ids = row(2), .token_type_ids = {1, 2, {0, 0}}};
    const bool has_types = model->config.encoder.token_types > 0;
    CHECK(code_of(*model, inputs) == (has_types ? Code::internal_error : Code::invalid_argument));
    inputs.token_type_ids.data[1] = model->config.encoder.token_types;
    CHECK(code_of(*model, std::move(inputs)) == Code::invalid_argument);
    ++(has_types ? with_types : without);
  }
  CHECK(with_types > 0);
  CHECK(without > 0);
}
