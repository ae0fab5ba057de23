// Checkpoints whose config.json has other flags than the goldens: each gives what transformers gives, or is refused by the flag's name.

#include <doctest/doctest.h>

#include "support/expected_outputs.h"
#include "support/variants.h"

using namespace webformer;
using namespace webformer::test;

namespace {

/// Tight enough to tell GELU from its approximation.
constexpr double tolerance = 2e-5;

std::vector<std::string> strings_of(const Json& list) {
  std::vector<std::string> strings;
  if (list.is_array()) {
    for (const Json& item : list.items()) strings.emplace_back(item.get_string());
  }
  return strings;
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
    if (variant.own.has("greedy")) CHECK(wrong_tokens(model, variant["inputs"], variant.own["greedy"]) == std::vector<std::string>{});
  });
  CHECK(variants >= 200);
}
