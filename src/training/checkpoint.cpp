// A trainer's state as a safetensors file: each learned weight by our name, beside it what the optimizer keeps of it.

#include <algorithm>
#include <charconv>

#include "formats/safetensors.h"
#include "training/trainer.h"

namespace webformer {

namespace {

constexpr std::string_view steps_key = "steps", file_name = "checkpoint";

/// A weight's numbers in the order of its rows, and where they are kept.
struct Numbers {
  std::string name;
  Shape shape;
  std::span<float> kept;
};

/// Those of `first` and `second` are kept in the order of the weight's.
std::vector<Numbers> numbers_of(const std::vector<Weight>& weights, std::vector<Optimizer::State>& states) {
  std::vector<Numbers> all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Weight& w = weights[i];
    const Shape shape = w.matrix ? Shape{w.matrix->rows(), w.matrix->cols()} : Shape{std::int64_t(w.vector->size())};
    all.push_back({w.name, shape, w.matrix ? w.matrix->numbers() : std::span(*w.vector)});
    if (!states[i].first.empty()) all.push_back({w.name + "#first", shape, states[i].first});
    if (!states[i].second.empty()) all.push_back({w.name + "#second", shape, states[i].second});
  }
  return all;
}

/// From the order that a matrix is kept in to rows; machines differ in the former.
std::vector<float> to_rows(const Numbers& numbers) {
  if (numbers.shape.rank() == 1) return {numbers.kept.begin(), numbers.kept.end()};
  PackedWeights packed(WeightType::f32, numbers.shape[0], numbers.shape[1]);
  std::ranges::copy(numbers.kept, packed.numbers().begin());
  Array rows(numbers.shape);
  for (std::int64_t i = 0; i < packed.rows(); ++i) packed.row(i, rows.matrix().row(i));
  return std::move(rows.data);
}

void from_rows(const std::vector<float>& rows, const Numbers& numbers) {
  if (numbers.shape.rank() == 1) {
    std::ranges::copy(rows, numbers.kept.begin());
    return;
  }
  PackedWeights packed(WeightType::f32, numbers.shape[0], numbers.shape[1]);
  packed.fill(0, ConstMatrix(rows.data(), packed.rows(), packed.cols()));
  std::ranges::copy(packed.numbers(), numbers.kept.begin());
}

std::int64_t read_steps(const TensorTable& table) {
  const std::string* text = table.metadata.find<std::string>(steps_key);
  std::int64_t steps = -1;
  if (text) std::from_chars(text->data(), text->data() + text->size(), steps);
  if (steps < 0) throw Error(Code::invalid_file, "{}: no number of steps in it, so that it is no checkpoint of a training", file_name);
  return steps;
}

}  // namespace

std::vector<std::byte> Trainer::checkpoint() {
  std::vector<std::vector<float>> rows;
  std::vector<SafetensorsTensor> tensors;
  for (const Numbers& numbers : numbers_of(learned_, optimizer_.states())) {
    rows.push_back(to_rows(numbers));
    tensors.push_back({{numbers.name, DType::f32, numbers.shape}, {}});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) tensors[i].bytes = std::as_bytes(std::span(rows[i]));
  return write_safetensors(tensors, {{std::string(steps_key), std::to_string(optimizer_.steps)}});
}

void Trainer::resume(std::span<const std::byte> file) {
  const std::uint64_t start = safetensors_header_bytes(file.first(std::min<std::size_t>(file.size(), 8)), file.size(), file_name);
  const TensorTable table = parse_safetensors_header(file.first(std::size_t(start)), file.size(), std::string(file_name));
  const std::int64_t steps = read_steps(table);
  const std::vector<Numbers> all = numbers_of(learned_, optimizer_.states());
  for (const Numbers& numbers : all) {
    const TensorInfo* info = table.find(numbers.name);
    if (!info || info->dtype != DType::f32 || info->shape != numbers.shape) {
      throw Error(Code::weight_mismatch, "{}: {} of shape {} expected, {} found", file_name, numbers.name, numbers.shape,
                  info ? to_text(info->shape) : "none");
    }
  }
  if (table.tensors.size() != all.size()) {
    throw Error(Code::weight_mismatch, "{}: {} tensors found, {} expected with this optimizer and these frozen weights", file_name,
                table.tensors.size(), all.size());
  }
  std::vector<float> rows;
  for (const Numbers& numbers : all) {
    const TensorInfo& info = *table.find(numbers.name);
    rows.resize(std::size_t(numbers.shape.size()));
    to_floats(DType::f32, file.subspan(std::size_t(info.begin), std::size_t(info.end - info.begin)), rows.data());
    from_rows(rows, numbers);
  }
  optimizer_.steps = steps;
}

}  // namespace webformer
