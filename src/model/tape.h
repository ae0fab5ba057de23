#pragma once
// What training adds to a forward pass: a tape of what backward needs, and the gradients that backward adds to.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "core/task.h"
#include "core/tensor.h"
#include "core/workspace.h"
#include "kernels/weights.h"

namespace webformer {

/// The shares of numbers that a training pass drops (Srivastava et al. 2014).
struct DropoutRates {
  float embedding = 0;   ///< of what the first layer reads
  float residual = 0;    ///< of what a sublayer adds to its input
  float attention = 0;   ///< of attention's weights
  float activation = 0;  ///< of what the FFN's activation made
  float head = 0;        ///< of what a classifier reads
};

/// Last in, first out: a layer's backward pops what its forward pushed, line for line in the other order. Where all layers together would
/// keep more than `most` bytes, only their inputs are kept, and a layer runs forward once more before its backward (Chen et al. 2016).
class Tape {
 public:
  /// Where a layer begins.
  struct Place {
    Workspace::Mark memory;
    std::size_t kept, seeds, used;
    Random random;
    ConstMatrix input;
  };

  explicit Tape(const DropoutRates& rates = {}, std::uint64_t seed = 0) : rates(rates), random_(seed) {}

  /// Lives until clear(), or until forget() of a place before it.
  Matrix matrix(std::int64_t rows, std::int64_t cols);
  /// x has to stay as it is until it is popped.
  void push(ConstMatrix x) { kept_.push_back(x); }
  /// Pushes a copy of x.
  void push_copy(ConstMatrix x);
  ConstMatrix pop() noexcept;
  bool empty() const noexcept { return kept_.empty() && seeds_.empty() && forgotten_.empty(); }
  /// Forgets everything; the memory is kept for the next pass.
  void clear() noexcept;
  /// The same, and from here on the dropouts of this seed.
  void restart(std::uint64_t seed) noexcept;
  std::size_t bytes() const noexcept { return memory_.bytes(); }
  /// The bytes of the matrices that live.
  std::size_t used() const noexcept { return used_; }

  /// The place before a layer, whose input is copied.
  Place place(ConstMatrix input);
  /// Forgets what was pushed since.
  void forget(const Place& place) noexcept;
  /// The same, for a layer whose forward is done; recall() gives the place back.
  void forget_layer(const Place& place);
  /// Whether the next layer that goes backward is one that was forgotten.
  bool forgot_layer() const noexcept { return !forgotten_.empty() && forgotten_.back().kept == kept_.size(); }
  /// Its place. From here on the dropouts are those that it had.
  Place recall() noexcept;

  /// The seed of one dropout, which its backward pops.
  std::uint64_t push_seed();
  std::uint64_t pop_seed() noexcept;

  DropoutRates rates;
  std::size_t most = std::size_t(1) << (sizeof(void*) == 4 ? 30 : 33);

 private:
  Workspace memory_;
  Workspace::Mark start_ = memory_.mark();
  std::vector<ConstMatrix> kept_;
  std::vector<std::uint64_t> seeds_;
  std::vector<Place> forgotten_;
  std::size_t used_ = 0;
  Random random_;
};

/// The gradients of the weights that are learned; the others are frozen. A weight that two places share has one gradient.
class Gradients {
 public:
  /// From now on this weight is learned; its gradient is 0. Throws invalid_argument for a matrix that is not kept as f32.
  void add(const PackedWeights& weight);
  void add(const std::vector<float>& weight);

  /// Null where the weight is frozen.
  PackedWeights* of(const PackedWeights& weight) noexcept;
  float* of(const std::vector<float>& weight) noexcept;
  void clear() noexcept;  ///< sets all to 0
  /// Adds the gradients of another pass, for the same weights.
  void add(const Gradients& others) noexcept;

 private:
  std::unordered_map<const void*, PackedWeights> matrices_;
  std::unordered_map<const void*, std::vector<float>> vectors_;
};

/// What a backward pass carries along.
struct Backward {
  Workspace& workspace;
  Schedule& schedule;
  Tape& tape;
  Gradients& gradients;

  /// Scratch memory that is 0, for gradients that are added up.
  Matrix zeros(std::int64_t rows, std::int64_t cols);
  /// The backward of Pass::drop: drops of a gradient what the forward dropped.
  void drop(Matrix dx, float DropoutRates::* rate);
};

/// y = x
void copy(ConstMatrix x, Matrix y) noexcept;

}  // namespace webformer
