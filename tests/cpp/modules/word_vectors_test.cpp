// Word vectors: golden/modules 01, and Word2Vec's objective in 12, GloVe aside.

#ifdef WEBFORMER_SHARED_DIR

#include <algorithm>
#include <functional>
#include <numeric>

#include "kernels/vectors.h"
#include "modules/module.h"
#include "training/word_vectors.h"

using namespace webformer;
using modules::Case;

namespace {

/// Examples of a batch, whose mean loss is differentiated.
void check_examples(Case& c, std::size_t count, const std::function<WordExample(std::size_t)>& example) {
  WordTables tables{c.weight("input.weight"), c.weight("output.weight")};
  WordTables gradients{Array(tables.input.shape), Array(tables.output.shape)};
  std::vector<float> h(std::size_t(tables.input.shape[1])), dh(h.size());
  double loss = 0;
  for (std::size_t i = 0; i < count; ++i) loss += add_word_gradient(tables, example(i), 1 / float(count), gradients, h, dh) / double(count);
  c.output("loss", loss);
  c.gradient("input.weight", gradients.input);
  c.gradient("output.weight", gradients.output);
  const auto rate = float(c.about()["lr"].get_number());
  for (const auto& [name, table, gradient] : {std::tuple{"updated.input.weight", &tables.input, &gradients.input},
                                              {"updated.output.weight", &tables.output, &gradients.output}}) {
    for (std::size_t i = 0; i < table->data.size(); ++i) table->data[i] -= rate * gradient->data[i];
    if (c.expects(name)) c.output(name, *table);
  }
}

std::span<const std::int32_t> row_of(const std::vector<std::int32_t>& rows, std::size_t count, std::size_t row) {
  return std::span(rows).subspan(row * (rows.size() / count), rows.size() / count);
}

void check_skip_gram(Case& c) {
  const auto center = c.ids("center"), context = c.ids("context");
  const auto negatives = c.has_input("negatives") ? c.ids("negatives") : std::vector<std::int32_t>{};
  check_examples(c, center.size(), [&](std::size_t i) -> WordExample {
    return {std::span(center).subspan(i, 1), context[i], row_of(negatives, center.size(), i)};
  });
}

void check_cbow(Case& c) {
  const auto center = c.ids("center"), context = c.ids("context"), mask = c.ids("context_mask"), negatives = c.ids("negatives");
  std::vector<std::vector<std::int32_t>> seen(center.size());
  for (std::size_t i = 0; i < context.size(); ++i)
    if (mask[i]) seen[i / (context.size() / center.size())].push_back(context[i]);
  check_examples(c, center.size(), [&](std::size_t i) -> WordExample { return {seen[i], center[i], row_of(negatives, center.size(), i)}; });
}

void check_pairs(Case& c) {
  std::vector<float> pairs;
  for (const auto& [center, context] : word_pairs(c.ids("ids"), c.about()["window"].get_integer()))
    pairs.insert(pairs.end(), {float(center), float(context)});
  c.output("pairs", pairs);
}

void check_noise(Case& c) {
  const auto ids = c.ids("counts");
  const std::vector<std::int64_t> counts(ids.begin(), ids.end());
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<float> noise, keep;
  for (const double share : noise_distribution(counts)) noise.push_back(float(share));
  for (const std::int64_t count : counts) keep.push_back(float(keep_probability(double(count) / total, c.about()["t"].get_number())));
  c.output("noise_distribution", noise);
  c.output("keep_probability", keep);
}

const float* row_of(const Array& table, std::int64_t row) { return table.data.data() + row * table.shape[1]; }

float cosine(const Array& a, std::int64_t i, const Array& b, std::int64_t j) {
  return cosine_similarity(row_of(a, i), row_of(b, j), a.shape[1]);
}

/// A look-up is the product with a one-hot vector, and its gradient goes to the rows that were looked up.
void check_one_hot(Case& c) {
  const auto ids = c.ids("ids");
  const Array table = c.weight("table");
  const std::int64_t count = std::int64_t(ids.size()), words = table.shape[0], width = table.shape[1];
  Array one_hot(Shape{count, words}), embedding(Shape{count, width}), cosines(Shape{count, count});
  PackedWeights packed(WeightType::f32, words, width), gradient(WeightType::f32, words, width);
  packed.fill(0, table.matrix());
  const Array cotangent = c.cotangent("embedding");
  for (std::int64_t i = 0; i < count; ++i) {
    one_hot.data[std::size_t(i * words + ids[std::size_t(i)])] = 1;
    packed.row(ids[std::size_t(i)], embedding.matrix().row(i));
    gradient.add_to_row(ids[std::size_t(i)], row_of(cotangent, i));
  }
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < count; ++j) cosines.matrix().at(i, j) = cosine(one_hot, i, one_hot, j);
  Array dtable(table.shape);
  for (std::int64_t i = 0; i < words; ++i) gradient.row(i, dtable.matrix().row(i));
  c.output("one_hot", one_hot);
  c.output("embedding", embedding);
  c.output("cosine", cosines);
  c.gradient("table", dtable);
}

void check_cosine(Case& c) {
  const Array x = c.input("x"), y = c.input("y");
  const std::int64_t rows = x.shape[0], width = x.shape[1];
  Array pairwise(Shape{rows}), matrix(Shape{rows, rows}), dx(x.shape), dy(y.shape);
  for (std::int64_t i = 0; i < rows; ++i) {
    pairwise.data[std::size_t(i)] = cosine(x, i, y, i);
    for (std::int64_t j = 0; j < rows; ++j) matrix.matrix().at(i, j) = cosine(x, i, y, j);
  }
  c.output("pairwise", pairwise);
  if (c.expects("matrix")) c.output("matrix", matrix);
  if (!c.expects_gradient("x")) return;
  const Array cotangent = c.cotangent("pairwise");
  for (std::int64_t i = 0; i < rows; ++i) {
    const float factor = cotangent.data[std::size_t(i)];
    cosine_similarity_backward(row_of(x, i), row_of(y, i), factor, dx.matrix().row(i), width);
    cosine_similarity_backward(row_of(y, i), row_of(x, i), factor, dy.matrix().row(i), width);
  }
  c.gradient("x", dx);
  c.gradient("y", dy);
}

void check_analogy(Case& c) {
  const auto queries = c.ids("queries");
  const Array table = c.input("table");
  const std::int64_t words = table.shape[0], width = table.shape[1], count = std::int64_t(queries.size()) / 3;
  Array similarity(Shape{count, words});
  std::vector<float> nearest, answers;
  for (std::int64_t q = 0; q < count; ++q) {
    const auto abc = std::span(queries).subspan(std::size_t(3 * q), 3);
    Array target(Shape{1, width});
    for (const auto& [word, sign] : {std::pair{abc[0], 1.f}, {abc[1], -1.f}, {abc[2], 1.f}})
      add_scaled(sign, row_of(table, word), target.data.data(), width);
    std::vector<std::int64_t> order;
    for (std::int64_t word = 0; word < words; ++word) {
      similarity.matrix().at(q, word) = cosine(target, 0, table, word);
      if (std::ranges::find(abc, word) == abc.end()) order.push_back(word);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](std::int64_t word) { return similarity.matrix().at(q, word); });
    answers.push_back(float(order[0]));
    const std::int64_t listed = c.expects("nearest") ? c.module().tensor("out." + c.name() + ".nearest").shape[1] : 0;
    for (std::int64_t i = 0; i < listed; ++i) nearest.push_back(float(order[std::size_t(i)]));
  }
  c.output("similarity", similarity);
  c.output("answer", answers);
  c.output("nearest", nearest);
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("01: look-ups, cosines and analogies are PyTorch's") {
    modules::each_case("01_word_vectors", [](Case& c) {
      if (c.has_input("queries")) check_analogy(c);
      else if (c.has_input("ids")) check_one_hot(c);
      else check_cosine(c);
    });
  }

  TEST_CASE("12: the losses, gradients and updated vectors of skip-gram and CBOW are PyTorch's") {
    modules::each_case("12_word2vec", [](Case& c) {
      if (c.has_input("counts")) check_noise(c);
      else if (c.has_input("ids")) check_pairs(c);
      else if (c.has_input("context_mask")) check_cbow(c);
      else if (c.has_input("center")) check_skip_gram(c);
      else c.module().leave_out(c.name());  // GloVe, which is not built
    });
  }
}

#endif
