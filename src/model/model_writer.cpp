#include "model/model_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/half.h"
#include "formats/safetensors.h"

namespace webformer {

namespace {

constexpr float largest_half = 65504;

}  // namespace

ModelWriter::ModelWriter(std::shared_ptr<const WeightPlan> layout, DType dtype, std::shared_ptr<const Adapter> adapter)
    : layout_(std::move(layout)), adapter_(std::move(adapter)), dtype_(dtype), tensors_(layout_->stored()) {
  if (dtype != DType::f32 && dtype != DType::f16) throw Error(Code::invalid_argument, "dtype: {} found, F32 or F16 expected", name(dtype));
}

std::string ModelWriter::header() const {
  std::vector<SafetensorsItem> items;
  for (const WeightPlan::Stored& tensor : tensors_) items.push_back({tensor.name, dtype_, tensor.shape});
  return safetensors_header(items, {{"format", "pt"}});  // without which transformers refuses the file
}

std::uint64_t ModelWriter::bytes() const {
  std::uint64_t total = header().size();
  for (const WeightPlan::Stored& tensor : tensors_) total += bytes_for(dtype_, tensor.shape.size());
  return total;
}

std::vector<std::byte> ModelWriter::next() {
  const WeightPlan::Stored& tensor = tensors_[at_];
  const Array numbers = layout_->put_back(tensor.name, [&](const Weight& weight, std::int64_t row, float* out) {
    weight.read(row, out);
    add_change(adapter_.get(), weight, row, out);
  });
  std::vector<std::byte> bytes(bytes_for(dtype_, numbers.size()));
  if (dtype_ == DType::f32) {
    std::memcpy(bytes.data(), numbers.data.data(), bytes.size());
  } else {
    for (std::size_t i = 0; i < numbers.data.size(); ++i) {
      if (std::abs(numbers.data[i]) > largest_half)
        throw Error(Code::numeric_error, "{}: {} is too large for f16; save as f32", tensor.name, numbers.data[i]);
      const std::uint16_t half = float_to_half(numbers.data[i]);
      std::memcpy(&bytes[2 * i], &half, sizeof half);
    }
  }
  ++at_;
  return bytes;
}

}  // namespace webformer
