#include "kernels/reference.h"
#include "support.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

/// x, W and dy of a linear layer, and its gradients by the kernels and by the reference; both begin from the same numbers.
struct Backward {
  RandomMatrix x, w, dy, dx, expected_dx, dw, expected_dw, before_dx;
  std::vector<float> db, expected_db;

  Backward(WeightType type, std::int64_t rows, std::int64_t outputs, std::int64_t inputs, Random& random)
      : x(rows, inputs, random),
        w(outputs, inputs, random),
        dy(rows, outputs, random),
        dx(rows, inputs, random),
        expected_dx(dx),
        dw(outputs, inputs, random),
        expected_dw(dw),
        before_dx(dx),
        db(std::size_t(outputs), 0.5f),
        expected_db(db) {
    PackedWeights packed(type, outputs, inputs), gradient(WeightType::f32, outputs, inputs);
    packed.fill(0, w.view());
    gradient.fill(0, dw.view());
    Workspace workspace;
    linear_backward_input(dy.view(), packed, dx.view(), workspace);
    linear_backward_weights(x.view(), dy.view(), gradient, workspace);
    linear_backward_bias(dy.view(), db.data());
    for (std::int64_t n = 0; n < outputs; ++n) {
      packed.row(n, w.view().row(n));  // as they are kept
      gradient.row(n, dw.view().row(n));
    }
    reference::linear_backward_input(dy.view(), w.view(), expected_dx.view());
    reference::linear_backward_weights(x.view(), dy.view(), expected_dw.view());
    reference::linear_backward_bias(dy.view(), expected_db.data());
  }

  double error() const {
    const auto share = [](ConstMatrix got, ConstMatrix expected) {
      return test::worst_difference(got, expected) / std::max(1.0, test::largest_number(expected));
    };
    const auto count = std::int64_t(db.size());
    return std::max({share(dx.view(), expected_dx.view()), share(dw.view(), expected_dw.view()),
                     share(ConstMatrix(db.data(), 1, count), ConstMatrix(expected_db.data(), 1, count))});
  }
};

}  // namespace

TEST_CASE("the gradients of a linear layer equal the reference at every size around the tiles") {
  Random random(1);
  for (std::int64_t size = 0; size <= 2 * test::two_batches; ++size) {
    for (const auto& [rows, outputs, inputs] :
         {std::array{size, std::int64_t(5), std::int64_t(7)}, std::array{std::int64_t(3), size, std::int64_t(9)},
          std::array{std::int64_t(4), std::int64_t(11), size}}) {
      CAPTURE(rows);
      CAPTURE(outputs);
      CAPTURE(inputs);
      const Backward backward(WeightType::f32, rows, outputs, inputs, random);
      CHECK(backward.error() < 1e-5);
      CHECK(test::changed_inside_only(backward.before_dx, backward.dx));
    }
  }
}

TEST_CASE("the gradients of a linear layer equal the reference where rows, inputs and outputs take several blocks") {
  Random random(2);
  for (const auto& [rows, outputs, inputs] : {std::array{401, 70, 205}, std::array{30, 500, 40}, std::array{800, 33, 390}}) {
    CAPTURE(rows);
    CHECK(Backward(WeightType::f32, rows, outputs, inputs, random).error() < 2e-5);
  }
}

TEST_CASE("gradients flow through weights of every type, as they are kept") {
  Random random(3);
  for (const WeightType type : {WeightType::f16, WeightType::int8, WeightType::int4}) {
    CAPTURE(name(type));
    for (const std::int64_t inputs : {1, 31, 32, 100}) CHECK(Backward(type, 9, 37, inputs, random).error() < 1e-5);
  }
}

TEST_CASE("the reference gradients of a linear layer are the slopes of its output") {
  Random random(4);
  RandomMatrix x(3, 5, random), w(4, 5, random), dy(3, 4, random), y(3, 4, random), dx(3, 5, random, 0), dw(4, 5, random, 0);
  const auto loss = [&] {
    reference::linear(x.view(), w.view(), nullptr, y.view());
    return test::product(y.view(), dy.view());
  };
  reference::linear_backward_input(dy.view(), w.view(), dx.view());
  reference::linear_backward_weights(x.view(), dy.view(), dw.view());
  CHECK(test::worst_difference(dx.view(), test::numeric_gradient(x.view(), loss)) < 1e-3);
  CHECK(test::worst_difference(dw.view(), test::numeric_gradient(w.view(), loss)) < 1e-3);
}

TEST_CASE("adding to a row of weights changes that row alone") {
  Random random(5);
  RandomMatrix w(37, 11, random), x(1, 11, random);
  PackedWeights packed(WeightType::f32, 37, 11);
  packed.fill(0, w.view());
  packed.add_to_row(18, x.view().data);
  reference::add(w.view().rows_from(18, 1), x.view());
  std::vector<float> row(11);
  for (std::int64_t n = 0; n < 37; ++n) {
    packed.row(n, row.data());
    CHECK(test::identical(ConstMatrix(row.data(), 1, 11), w.view().rows_from(n, 1)));
  }
}
