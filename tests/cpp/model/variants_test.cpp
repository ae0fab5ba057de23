// Checkpoints whose config.json has other flags than the goldens: each gives what transformers gives, or is refused by the flag's name.

#include <doctest/doctest.h>

#include "model/session.h"
#include "support/expected_outputs.h"
#include "support/variants.h"

using namespace webformer;
using namespace webformer::test;

namespace {

/// Tight enough to tell GELU from its approximation.
constexpr double tolerance = 2e-5;

std::vector<std::int32_t> ids_of(const Json& list) {
  std::vector<std::int32_t> ids;
  for (const Json& id : list.items()) ids.push_back(std::int32_t(id.get_integer()));
  return ids;
}

std::vector<std::string> strings_of(const Json& list) {
  std::vector<std::string> strings;
  if (list.is_array()) {
    for (const Json& item : list.items()) strings.emplace_back(item.get_string());
  }
  return strings;
}

/// As many tokens as transformers made, each the likeliest one, by steps of one token on a cache.
std::vector<std::int32_t> decode(std::shared_ptr<const Model> model, const Variant& variant) {
  Session session(model);
  Schedule schedule;
  std::vector<std::int32_t> fed = ids_of(variant["inputs"]["input_ids"].items().front()), made;
  if (model->encoder) {
    Job<>(schedule, session.encode({fed}, schedule)).finish();
    fed = {model->config.decoder_start_token_id};
  }
  const int sequence = session.add_sequence();
  for (std::size_t i = 0; i < variant.own["greedy"].items().size(); ++i) {
    const Matrix logits = Job<Matrix>(schedule, session.step({{sequence, fed}}, schedule)).finish();
    made.push_back(std::int32_t(std::max_element(logits.data, logits.data + logits.cols) - logits.data));
    fed = {made.back()};
  }
  return made;
}

void check_refusal(const Variant& variant) {
  try {
    load_model(variant.config(), {});
    FAIL_CHECK("was not refused");
  } catch (const Error& error) {
    CAPTURE(error.message());
    CHECK(error.code() == Code::unsupported_model);
    CHECK(error.message().find(variant.own["refused"].get_string()) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("flags of config.json change what a model computes as they do in transformers, or are refused by name") {
  int variants = 0;
  for_each_variant([&](const Variant& variant) {
    CAPTURE(variant.name);
    ++variants;
    if (variant.own.has("refused")) return check_refusal(variant);
    std::shared_ptr<const Model> model;
    REQUIRE_NOTHROW(model = load_model(variant.config(), variant.weights()));
    CHECK(model->unused_weights == strings_of(variant.own["unused"]));
    CHECK(wrong_outputs(*model, variant["inputs"], {}, variant.own["outputs"], tolerance) == std::vector<std::string>{});
    if (variant.own.has("greedy")) CHECK(decode(model, variant) == ids_of(variant.own["greedy"]));
  });
  CHECK(variants >= 200);
}
