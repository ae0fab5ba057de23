// golden/modules/14_sampling: computed by PyTorch, conventions in its JSON file.

#include "support/golden.h"

#ifdef WEBFORMER_SHARED_DIR

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "decoding/processors.h"
#include "decoding/sampling.h"
#include "support.h"

using namespace webformer;

namespace {

/// Applies one step by the name that the file has for it.
void apply(const std::string& step, const Json& numbers, std::span<float> scores, std::span<const std::int32_t> seen) {
  const auto number = [&](std::string_view name) { return numbers[name].get_number(); };
  if (step.starts_with("temperature")) return apply_temperature(scores, number("temperature"));
  if (step.starts_with("top_k")) return keep_top_k(scores, numbers["top_k"].get_integer());
  if (step.starts_with("top_p")) return keep_top_p(scores, number("top_p"));
  if (step == "min_p") return keep_min_p(scores, number("min_p"));
  if (step == "typical_p") return keep_typical(scores, number("typical_p"));
  REQUIRE(step == "repetition_penalty");
  penalize_repetition(scores, seen, number("repetition_penalty"));
}

}  // namespace

TEST_CASE("each processor and their chains leave the probabilities that PyTorch gives, and draw the same ids") {
  const JsonDocument document = golden::read_json("golden/modules/14_sampling.json");
  const auto tensors = golden::read_safetensors("golden/modules/14_sampling.safetensors");
  int compared = 0;
  for (const auto& [case_name, numbers] : document.root()["cases"].members()) {
    const std::string name(case_name);
    CAPTURE(name);
    const golden::Tensor& logits = tensors.at("in." + name + ".logits");
    const std::int64_t rows = logits.shape[0], vocab = logits.shape[1];
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto row = [&](const golden::Tensor& tensor) {
        const std::int64_t width = tensor.shape.size() / rows;
        return std::vector<double>(tensor.data.begin() + r * width, tensor.data.begin() + (r + 1) * width);
      };
      const std::vector<double> given = row(logits);
      std::vector<float> scores(given.begin(), given.end());
      if (name == "greedy") {
        CHECK(best_token(scores) == row(tensors.at("out.greedy.ids"))[0]);
        ++compared;
        continue;
      }
      std::vector<std::int32_t> seen;
      if (tensors.contains("in." + name + ".seen")) {
        for (const double id : row(tensors.at("in." + name + ".seen"))) seen.push_back(std::int32_t(id));
      }
      std::vector<std::string> order;
      if (numbers.has("order")) {
        for (const Json& step : numbers["order"].items()) order.emplace_back(step.get_string());
      } else {
        order = {name};
      }
      const auto check_kept = [&](const std::string& tensor) {
        const std::vector<double> kept = row(tensors.at(tensor));
        std::vector<int> expected;
        for (std::size_t i = 0; i < kept.size(); ++i) {
          if (kept[i] == 1) expected.push_back(int(i));
        }
        CHECK(possible(scores) == expected);
        ++compared;
      };
      for (std::size_t i = 0; i < order.size(); ++i) {
        apply(order[i], numbers, scores, seen);
        if (order.size() > 1) check_kept("out." + name + ".kept_" + std::to_string(i) + "_" + order[i]);
      }
      check_kept("out." + name + ".kept");
      const std::vector<double> probabilities = row(tensors.at("out." + name + ".probabilities"));
      for (std::int64_t id = 0; id < vocab; ++id) {
        CHECK(std::exp(log_probability(scores, std::int32_t(id))) == doctest::Approx(probabilities[std::size_t(id)]).epsilon(1e-5));
      }
      ++compared;
      if (tensors.contains("out." + name + ".drawn")) {
        CHECK(draw_token(scores, row(tensors.at("in." + name + ".uniform"))[0]) == row(tensors.at("out." + name + ".drawn"))[0]);
        ++compared;
      }
    }
  }
  // every expected tensor of the file was compared, row by row
  std::int64_t expected = 0;
  for (const auto& [name, tensor] : tensors) {
    if (name.starts_with("out.")) expected += name == "out.greedy.ids" ? tensor.shape.size() : tensor.shape[0];
  }
  CHECK(compared == expected);
}

#endif
