#include "training/training_set.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "training/shuffle.h"

namespace webformer {

namespace {

/// Examples of like length are sought among so many that follow each other in the order of an epoch.
constexpr std::size_t pool_size = 4096;

/// Numbers of one run that are to have nothing in common: orders of epochs, noise of examples.
Random random_of(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index) {
  Random mixed(seed);
  mixed = Random((std::uint64_t(mixed.next()) << 32 | mixed.next()) + epoch);
  return Random((std::uint64_t(mixed.next()) << 32 | mixed.next()) + index);
}

/// Rows of one length, `cols` at least; nothing where all lists are empty.
IdMatrix padded(std::span<const Example> examples, Ids Example::* list, std::int32_t filler, std::int64_t cols = 0) {
  IdMatrix matrix{.rows = std::int64_t(examples.size())};
  for (const Example& example : examples) matrix.cols = std::max(matrix.cols, std::int64_t((example.*list).size()));
  if (matrix.cols == 0) return {};
  matrix.cols = std::max(matrix.cols, cols);
  matrix.data.assign(std::size_t(matrix.rows * matrix.cols), filler);
  for (std::size_t b = 0; b < examples.size(); ++b)
    std::ranges::copy(examples[b].*list, matrix.data.begin() + std::ptrdiff_t(b) * matrix.cols);
  return matrix;
}

/// 1 where a row of the list has an entry.
IdMatrix mask_of(std::span<const Example> examples, Ids Example::* list) {
  IdMatrix matrix = padded(examples, list, 0);
  for (std::size_t b = 0; b < examples.size(); ++b) {
    const auto row = matrix.data.begin() + std::ptrdiff_t(b) * matrix.cols;
    std::fill_n(row, (examples[b].*list).size(), 1);
  }
  return matrix;
}

std::vector<std::int32_t> column(std::span<const Example> examples, std::int32_t Example::* number) {
  std::vector<std::int32_t> numbers;
  for (const Example& example : examples) numbers.push_back(example.*number);
  const bool any = std::ranges::any_of(numbers, [](std::int32_t n) { return n != ignored_label; });
  return any ? numbers : std::vector<std::int32_t>{};
}

/// Whether an example's labels are a text of the decoder's.
bool writes(TrainingTask task) {
  return task == TrainingTask::translation || task == TrainingTask::denoising || task == TrainingTask::span_corruption;
}

std::int64_t tokens_in(const ForwardInputs& inputs) {
  if (!inputs.attention_mask.given()) return std::int64_t(inputs.input_ids.data.size());
  return std::accumulate(inputs.attention_mask.data.begin(), inputs.attention_mask.data.end(), std::int64_t{0});
}

}  // namespace

TrainingSet::TrainingSet(std::optional<Objective> objective, const BatchOptions& options, std::int32_t padding)
    : objective_(std::move(objective)), options_(options), padding_(padding) {}

void TrainingSet::add(const Row& row) {
  if (!objective_) throw Error(Code::internal_error, "{}: a row where batches are expected", row.name);
  for (Example& example : objective_->read(row)) examples_.push_back(std::move(example));
}

void TrainingSet::add(ForwardInputs inputs) {
  const std::int64_t tokens = tokens_in(inputs);
  batches_.push_back({std::move(inputs), tokens});
}

std::int64_t TrainingSet::tokens_of(const Example& example) const {
  const std::int64_t read = example.size();
  return objective_ && writes(objective_->task()) ? std::max(read, std::int64_t(example.labels.size())) : read;
}

std::vector<TrainingSet::Group> TrainingSet::cut(const Group& order) const {
  std::vector<Group> groups;
  std::int64_t longest = 0;
  for (const std::uint32_t index : order) {
    const std::int64_t tokens = objective_ ? tokens_of(examples_[index]) : 0;
    const bool full = groups.empty() || (options_.tokens > 0
                                             ? std::max(longest, tokens) * std::int64_t(groups.back().size() + 1) > options_.tokens
                                             : std::int64_t(groups.back().size()) >= (objective_ ? options_.size : 1));
    if (full) {
      groups.emplace_back();
      longest = 0;
    }
    groups.back().push_back(index);
    longest = std::max(longest, tokens);
  }
  return groups;
}

std::vector<TrainingSet::Group> TrainingSet::epoch(std::int64_t number) const {
  Group order(size());
  std::iota(order.begin(), order.end(), 0u);
  if (!options_.shuffle) return cut(order);
  Random random = random_of(options_.seed, std::uint64_t(number), 0);
  shuffle(order, random);
  if (options_.tokens == 0 || !objective_) return cut(order);
  for (std::size_t begin = 0; begin < order.size(); begin += pool_size) {
    const auto pool = std::span(order).subspan(begin, std::min(pool_size, order.size() - begin));
    std::ranges::stable_sort(pool, {}, [&](std::uint32_t index) { return tokens_of(examples_[index]); });
  }
  std::vector<Group> groups = cut(order);
  shuffle(groups, random);
  return groups;
}

std::vector<TrainingSet::Group> TrainingSet::full() const {
  Group order(size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<Group> groups = cut(order);
  const bool grows = objective_ && !groups.empty() && (options_.tokens > 0 || std::int64_t(groups.back().size()) < options_.size);
  if (grows) groups.pop_back();
  return groups;
}

Example TrainingSet::draw(std::int64_t epoch, std::uint32_t index) const {
  Random random = random_of(options_.seed, std::uint64_t(epoch), dropped_ + index + 1);
  const Example* other = nullptr;
  if (examples_.size() > 1) {
    const std::uint32_t place = random.below(std::uint32_t(examples_.size() - 1));
    other = &examples_[place + (place >= index)];
  }
  return objective_->draw(examples_[index], other, random);
}

Batch TrainingSet::join(std::span<const Example> examples) const {
  Batch batch;
  ForwardInputs& in = batch.inputs;
  in.input_ids = padded(examples, &Example::ids, padding_);
  in.attention_mask = mask_of(examples, &Example::ids);
  in.token_type_ids = padded(examples, &Example::types, 0, in.input_ids.cols);
  in.labels = padded(examples, &Example::labels, ignored_label);
  if (writes(objective_->task())) in.decoder_attention_mask = mask_of(examples, &Example::labels);
  in.next_sentence_label = column(examples, &Example::next_sentence);
  in.start_positions = column(examples, &Example::start);
  in.end_positions = column(examples, &Example::end);
  for (const Example& example : examples)
    batch.tokens += example.size() + (writes(objective_->task()) ? std::int64_t(example.labels.size()) : 0);
  return batch;
}

Batch TrainingSet::batch(std::int64_t epoch, const Group& group) const {
  if (!objective_) return batches_[group.front()];
  std::vector<Example> examples;
  for (const std::uint32_t index : group) examples.push_back(draw(epoch, index));
  return join(examples);
}

void TrainingSet::drop(std::size_t count) {
  if (objective_) examples_.erase(examples_.begin(), examples_.begin() + std::ptrdiff_t(count));
  else batches_.erase(batches_.begin(), batches_.begin() + std::ptrdiff_t(count));
  dropped_ += count;
}

}  // namespace webformer
