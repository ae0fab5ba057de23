#pragma once
// Training data: rows become examples, examples become batches, in an order that a seed tells.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/forward.h"
#include "training/objective.h"

namespace webformer {

struct BatchOptions {
  std::int64_t size = 8;    ///< examples of a batch
  std::int64_t tokens = 0;  ///< not 0: in their place, tokens of a batch at most, all rows counted as long as the longest
  bool shuffle = true;      ///< each epoch in another order; batches by `tokens` are then made of examples of like length
  std::uint64_t seed = 0;   ///< of the order, and of noise
};

struct Batch {
  ForwardInputs inputs;
  std::int64_t tokens = 0;  ///< without padding
};

class TrainingSet {
 public:
  /// Examples of one batch, by their number.
  using Group = std::vector<std::uint32_t>;

  /// `objective`: none where each row is a batch. `padding`: the id that fills up rows.
  TrainingSet(std::optional<Objective> objective, const BatchOptions& options, std::int32_t padding);

  /// Throws invalid_argument for a row that is not as the objective has it.
  void add(const Row& row);
  /// A row that is a batch.
  void add(ForwardInputs inputs);
  bool is_of_batches() const noexcept { return !objective_; }
  std::size_t size() const noexcept { return objective_ ? examples_.size() : batches_.size(); }

  /// The batches of an epoch.
  std::vector<Group> epoch(std::int64_t number) const;
  /// The batches of a stream so far, without a last one that may grow.
  std::vector<Group> full() const;
  /// Throws what the tokenizer throws.
  Batch batch(std::int64_t epoch, const Group& group) const;
  /// Forgets the first `count` examples of a stream.
  void drop(std::size_t count);

 private:
  std::int64_t tokens_of(const Example& example) const;
  std::vector<Group> cut(const Group& order) const;
  Example draw(std::int64_t epoch, std::uint32_t index) const;
  Batch join(std::span<const Example> examples) const;

  std::optional<Objective> objective_;
  BatchOptions options_;
  std::int32_t padding_;
  std::vector<Example> examples_;
  std::vector<Batch> batches_;
  std::uint64_t dropped_ = 0;
};

}  // namespace webformer
