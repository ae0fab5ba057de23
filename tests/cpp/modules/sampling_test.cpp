// Processors of scores and draws: golden/modules 14.

#ifdef WEBFORMER_SHARED_DIR

#include "decoding/sampling.h"
#include "decoding/processors.h"
#include "modules/module.h"

using namespace webformer;
using modules::Case;

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

std::span<float> row(Array& x, std::int64_t i) { return {x.matrix().row(i), std::size_t(x.matrix().cols)}; }

/// 1 where a token is still possible.
Array possible(const Array& scores) {
  Array kept(scores.shape);
  for (std::size_t i = 0; i < kept.data.size(); ++i) kept.data[i] = scores.data[i] != -std::numeric_limits<float>::infinity();
  return kept;
}

/// What the case says, or else the one step that it has a number for.
std::vector<std::string> steps(const Json& about) {
  std::vector<std::string> order;
  if (about.has("order")) {
    for (const Json& step : about["order"].items()) order.emplace_back(step.get_string());
  } else {
    for (const char* step : {"temperature", "top_k", "top_p", "min_p", "typical_p", "repetition_penalty"})
      if (about.has(step)) order.emplace_back(step);
  }
  return order;
}

void check_greedy(Case& c) {
  Array logits = c.input("logits");
  std::vector<float> ids;
  for (std::int64_t r = 0; r < logits.matrix().rows; ++r) ids.push_back(float(best_token(row(logits, r))));
  c.output("ids", ids);
}

void check_processors(Case& c) {
  const std::vector<std::string> order = steps(c.about());
  Array scores = c.input("logits");
  const std::int64_t rows = scores.matrix().rows, vocab = scores.matrix().cols;
  std::vector<std::int32_t> seen;
  if (c.has_input("seen")) seen = c.ids("seen");
  const std::size_t seen_each = seen.size() / std::size_t(rows);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::int64_t r = 0; r < rows; ++r)
      apply(order[i], c.about(), row(scores, r), std::span(seen).subspan(std::size_t(r) * seen_each, seen_each));
    if (order.size() > 1) c.output("kept_" + std::to_string(i) + "_" + order[i], possible(scores));
  }
  c.output("kept", possible(scores));
  Array probabilities(scores.shape);
  std::vector<float> drawn;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t id = 0; id < vocab; ++id)
      probabilities.matrix().at(r, id) = float(std::exp(log_probability(row(scores, r), std::int32_t(id))));
    if (c.expects("drawn")) drawn.push_back(float(draw_token(row(scores, r), c.input("uniform").data[std::size_t(r)])));
  }
  c.output("probabilities", probabilities);
  if (c.expects("drawn")) c.output("drawn", drawn);
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("14: each processor and their chains leave the probabilities that PyTorch gives, and draw the same ids") {
    modules::each_case("14_sampling", [](Case& c) { c.expects("ids") ? check_greedy(c) : check_processors(c); });
  }
}

#endif
