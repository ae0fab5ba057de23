#include "model/tape.h"

#include <algorithm>
#include <functional>
#include <span>

#include "kernels/elementwise.h"

namespace webformer {

void copy(ConstMatrix x, Matrix y) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, y.row(i));
}

Matrix Tape::matrix(std::int64_t rows, std::int64_t cols) {
  used_ += std::size_t(rows * cols) * sizeof(float);
  return memory_.matrix(rows, cols);
}

void Tape::push_copy(ConstMatrix x) {
  const Matrix kept = matrix(x.rows, x.cols);
  copy(x, kept);
  push(kept);
}

ConstMatrix Tape::pop() noexcept {
  const ConstMatrix last = kept_.back();
  kept_.pop_back();
  return last;
}

Tape::Place Tape::place(ConstMatrix input) {
  const Matrix kept = matrix(input.rows, input.cols);
  copy(input, kept);
  return {memory_.mark(), kept_.size(), seeds_.size(), used_, random_, kept};
}

void Tape::forget(const Place& place) noexcept {
  kept_.erase(kept_.begin() + std::ptrdiff_t(place.kept), kept_.end());
  seeds_.resize(place.seeds);
  used_ = place.used;
  memory_.release(place.memory);
}

void Tape::forget_layer(const Place& place) {
  forget(place);
  forgotten_.push_back(place);
}

Tape::Place Tape::recall() noexcept {
  const Place place = forgotten_.back();
  forgotten_.pop_back();
  random_ = place.random;
  return place;
}

void Tape::clear() noexcept {
  kept_.clear();
  seeds_.clear();
  forgotten_.clear();
  used_ = 0;
  memory_.release(start_);
}

void Tape::restart(std::uint64_t seed) noexcept {
  clear();
  random_ = Random(seed);
}

std::uint64_t Tape::push_seed() {
  const std::uint64_t high = random_.next(), low = random_.next();
  seeds_.push_back(high << 32 | low);
  return seeds_.back();
}

std::uint64_t Tape::pop_seed() noexcept {
  const std::uint64_t last = seeds_.back();
  seeds_.pop_back();
  return last;
}

void Gradients::add(const PackedWeights& weight) {
  if (weight.type() != WeightType::f32)
    throw Error(Code::invalid_argument, "weights kept as {} cannot be trained: f32 expected", name(weight.type()));
  matrices_.try_emplace(&weight, WeightType::f32, weight.rows(), weight.cols());
}

void Gradients::add(const std::vector<float>& weight) { vectors_.try_emplace(&weight, weight.size(), 0.f); }

PackedWeights* Gradients::of(const PackedWeights& weight) noexcept {
  const auto found = matrices_.find(&weight);
  return found == matrices_.end() ? nullptr : &found->second;
}

float* Gradients::of(const std::vector<float>& weight) noexcept {
  const auto found = vectors_.find(&weight);
  return found == vectors_.end() ? nullptr : found->second.data();
}

void Gradients::clear() noexcept {
  for (auto& [weight, gradient] : matrices_) std::ranges::fill(gradient.numbers(), 0.f);
  for (auto& [weight, gradient] : vectors_) std::ranges::fill(gradient, 0.f);
}

void Gradients::add(const Gradients& others) noexcept {
  const auto add_to = [](std::span<float> sum, std::span<const float> x) { std::ranges::transform(sum, x, sum.begin(), std::plus<>()); };
  for (auto& [weight, gradient] : matrices_) add_to(gradient.numbers(), others.matrices_.at(weight).numbers());
  for (auto& [weight, gradient] : vectors_) add_to(gradient, others.vectors_.at(weight));
}

Matrix Backward::zeros(std::int64_t rows, std::int64_t cols) {
  const Matrix x = workspace.matrix(rows, cols);
  std::fill_n(x.data, rows * cols, 0.f);
  return x;
}

void Backward::drop(Matrix dx, float DropoutRates::* rate) {
  if (tape.rates.*rate > 0) dropout(dx, tape.rates.*rate, tape.pop_seed());
}

}  // namespace webformer
