#pragma once
// model.safetensors of a model, tensor by tensor, so that no second copy of all weights is needed.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "formats/dtype.h"
#include "model/adapter.h"

namespace webformer {

class ModelWriter {
 public:
  /// layout: of ModelLoader. dtype: f32 or f16; quantized weights are dequantized. What an adapter changes is written with it. Throws
  /// invalid_argument for another type.
  ModelWriter(std::shared_ptr<const WeightPlan> layout, DType dtype, std::shared_ptr<const Adapter> adapter = nullptr);

  /// The start of the file. What next() gives follows.
  std::string header() const;
  /// Bytes of the whole file.
  std::uint64_t bytes() const;
  bool done() const noexcept { return at_ == tensors_.size(); }
  /// The bytes of the next tensor. Throws numeric_error where a number is too large for f16.
  std::vector<std::byte> next();

 private:
  std::shared_ptr<const WeightPlan> layout_;
  std::shared_ptr<const Adapter> adapter_;
  DType dtype_;
  std::vector<WeightPlan::Stored> tensors_;
  std::size_t at_ = 0;
};

}  // namespace webformer
