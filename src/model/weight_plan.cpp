#include "model/weight_plan.h"

#include <algorithm>
#include <set>

#include "kernels/elementwise.h"

namespace webformer {

namespace {

/// Smaller matrices would save less than 64 kB as 8 bits instead of floats, or as 4 bits instead of 8: not worth what they would lose.
constexpr std::int64_t least_for_int8 = 1 << 14, least_for_int4 = 1 << 17;

/// The type for a matrix of `numbers` numbers that a file stores as `stored`.
WeightType kept_as(WeightPolicy policy, DType stored, Precision precision, std::int64_t numbers) {
  const bool quantizable = precision != Precision::full && (is_quantized(stored) || numbers >= least_for_int8);
  switch (policy) {
    case WeightPolicy::f32: return WeightType::f32;
    case WeightPolicy::f16: return WeightType::f16;
    case WeightPolicy::int8: return quantizable ? WeightType::int8 : WeightType::f32;
    case WeightPolicy::int4:
      if (!quantizable) return WeightType::f32;
      if (stored == DType::q4_0) return WeightType::int4;  // keeps its values
      return precision == Precision::coarse && numbers >= least_for_int4 ? WeightType::int4 : WeightType::int8;
    case WeightPolicy::as_stored:
      if (stored == DType::f16) return WeightType::f16;
      return is_quantized(stored) && quantizable ? WeightType::int8 : WeightType::f32;
  }
  throw Error(Code::internal_error, "weight policy {}: not known", int(policy));
}

Shape without_unit_axes(const Shape& shape) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : shape.sizes()) {
    if (size != 1) sizes.push_back(size);
  }
  return Shape(std::span<const std::int64_t>(sizes));
}

}  // namespace

std::shared_ptr<PackedWeights> WeightPlan::matrix(std::string name, std::int64_t rows, std::int64_t cols, Precision precision) {
  Slot slot;
  slot.name = std::move(name);
  slot.shape = Shape{rows, cols};
  slot.precision = precision;
  slot.matrix = std::make_shared<PackedWeights>();
  slots_.push_back(slot);
  return slot.matrix;
}

std::shared_ptr<PackedWeights> WeightPlan::optional_matrix(std::string name, std::int64_t rows, std::int64_t cols) {
  auto result = matrix(std::move(name), rows, cols);
  slots_.back().optional = true;
  return result;
}

std::shared_ptr<std::vector<float>> WeightPlan::vector(std::string name, std::int64_t size) {
  Slot slot;
  slot.name = std::move(name);
  slot.shape = Shape{size};
  slot.vector = std::make_shared<std::vector<float>>();
  slots_.push_back(slot);
  return slot.vector;
}

std::shared_ptr<std::vector<float>> WeightPlan::optional_vector(std::string name, std::int64_t size) {
  auto result = vector(std::move(name), size);
  slots_.back().optional = true;
  return result;
}

Shape WeightPlan::expected_shape(const Slot& slot) const {
  std::int64_t rows = slot.shape[0];
  switch (slot.part) {
    case Part::whole: break;
    case Part::query:
    case Part::key:
    case Part::value: rows = std::int64_t(fused_.heads + 2 * fused_.kv_heads) * fused_.head_size; break;
    case Part::interleaved_query:
    case Part::interleaved_key:
    case Part::interleaved_value: rows *= 3; break;
    case Part::first_half:
    case Part::second_half: rows *= 2; break;
  }
  if (slot.vector) return Shape{rows};
  return slot.transposed ? Shape{slot.shape[1], rows} : Shape{rows, slot.shape[1]};
}

bool WeightPlan::fits(const Slot& slot, const Shape& stored) const {
  const Shape expected = expected_shape(slot);
  return slot.vector ? without_unit_axes(stored) == without_unit_axes(expected) : stored == expected;
}

std::int64_t WeightPlan::source_row(const Slot& slot, std::int64_t row) const {
  const std::int64_t d = fused_.head_size;
  const auto interleaved = [&](std::int64_t which) { return row / d * 3 * d + which * d + row % d; };
  switch (slot.part) {
    case Part::whole:
    case Part::query:
    case Part::first_half: return row;
    case Part::key: return fused_.heads * d + row;
    case Part::value: return (fused_.heads + fused_.kv_heads) * d + row;
    case Part::interleaved_query: return interleaved(0);
    case Part::interleaved_key: return interleaved(1);
    case Part::interleaved_value: return interleaved(2);
    case Part::second_half: return slot.shape[0] + row;
  }
  return row;
}

void WeightPlan::bind(const TensorTable& table, WeightPolicy policy, std::uint64_t memory_limit) {
  std::vector<std::pair<Slot*, WeightType>> found;
  std::set<std::string> known;  // second copies under another name are no surprise
  for (const Slot& slot : slots_) {
    if (!slot.stored_as.empty() && table.find(slot.stored_as))
      throw Error(Code::invalid_file, "{}: tensor \"{}\" is in it, and in a file before it", table.file, slot.stored_as);
  }
  std::vector<std::pair<std::string, std::string>> misfits;  // tensors of a right name whose shape is wrong, and what to say of them
  for (Slot& slot : slots_) {
    if (slot.left_out) continue;
    const std::vector<Candidate> names = candidates(slot.name);
    const TensorInfo* misfit = nullptr;
    Shape expected;
    for (std::size_t i = 0; i < names.size(); ++i) {
      known.insert(names[i].name);
      const TensorInfo* info = table.find(names[i].name);
      if (!info) continue;
      if (!slot.stored_as.empty()) {
        // Old checkpoints of BERT keep this bias twice. Elsewhere two alternatives in one file are two things.
        const bool same = info->shape == slot.stored_shape && names[i].part == slot.part && names[i].transposed == slot.transposed;
        if (same && info->name != slot.stored_as && slot.name == "heads.lm.output.bias") slot.copies.push_back(info->name);
        continue;
      }
      if (!is_float(info->dtype))
        throw Error(Code::invalid_file, "{}: type {} in the file, floating-point numbers expected", info->name, name(info->dtype));
      slot.part = names[i].part;
      slot.transposed = names[i].transposed;
      if (fits(slot, info->shape)) {
        slot.stored_as = names[i].name;
        slot.choice = i;
        slot.stored_shape = info->shape;
        found.emplace_back(&slot, kept_as(policy, info->dtype, slot.precision, slot.shape.size()));
      } else if (!misfit) {
        misfit = info;
        expected = expected_shape(slot);
      }
    }
    if (misfit && slot.stored_as.empty())
      misfits.emplace_back(misfit->name,
                           format("{}: shape {} in the file, {} expected from config.json", misfit->name, misfit->shape, expected));
  }
  std::vector<std::string> wrong;
  std::set<std::string> said;
  for (const auto& [tensor, text] : misfits) {
    // It may be what another one reads, and query, key and value may be parts of one.
    if (!wants(tensor) && said.insert(tensor).second) wrong.push_back(text);
  }
  if (!wrong.empty()) throw Error(Code::weight_mismatch, "{}", join(wrong, "; ")).with("tensors", join(wrong, "; "));

  std::uint64_t needed = 0;
  for (const auto& [slot, type] : found) {
    parameters += slot->shape.size();
    needed +=
        slot->vector ? std::uint64_t(slot->shape.size()) * sizeof(float) : PackedWeights::bytes_for(type, slot->shape[0], slot->shape[1]);
  }
  bytes += needed;
  if (memory_limit && bytes > memory_limit) {
    throw Error(Code::out_of_memory, "the weights take {} bytes in memory, {} are available", bytes, memory_limit)
        .with("needed", bytes)
        .with("limit", memory_limit);
  }
  for (const auto& [slot, type] : found) {
    if (slot->vector) {
      slot->vector->resize(std::size_t(slot->shape.size()));
    } else {
      *slot->matrix = PackedWeights(type, slot->shape[0], slot->shape[1]);
    }
  }
  for (const TensorInfo& info : table.tensors) {
    const bool ignored = std::ranges::any_of(names_.ignored, [&](std::string_view end) { return info.name.ends_with(end); });
    if (!ignored && !known.contains(info.name)) unused.push_back(info.name);
  }
}

void WeightPlan::check_complete() const {
  std::vector<std::string> missing;
  for (const Slot& slot : slots_) {
    if (!slot.stored_as.empty() || slot.optional) continue;
    const std::string name = missing_name(slot);  // query, key and value may be parts of one
    if (std::ranges::find(missing, name) == missing.end()) missing.push_back(name);
  }
  if (missing.empty()) return;
  throw Error(Code::weight_missing, "{} of the tensors that config.json asks for are not in the file: {}", missing.size(), join(missing))
      .with("tensors", join(missing));
}

bool WeightPlan::wants(std::string_view tensor) const {
  return std::ranges::any_of(slots_, [&](const Slot& slot) { return slot.stored_as == tensor && !slot.left_out; });
}

void WeightPlan::fill(const TensorInfo& tensor, std::span<const std::byte> bytes) {
  for (Slot& slot : slots_) {
    if (slot.stored_as == tensor.name && !slot.left_out) fill_slot(slot, tensor, bytes);
  }
}

void WeightPlan::fill_slot(Slot& slot, const TensorInfo& tensor, std::span<const std::byte> bytes) const {
  const std::int64_t rows = slot.vector ? 1 : slot.shape[0], cols = slot.vector ? slot.shape[0] : slot.shape[1];
  const std::int64_t stored_cols = slot.vector ? 1 : tensor.shape[1];
  constexpr std::int64_t rows_at_once = 64;  // bounds the second copy
  std::vector<float> block(std::size_t(std::min(rows, rows_at_once) * cols));
  const auto read = [&](std::int64_t first, std::int64_t count, float* out) {
    to_floats(tensor.dtype, bytes.subspan(std::size_t(bytes_for(tensor.dtype, first)), std::size_t(bytes_for(tensor.dtype, count))), out);
  };
  for (std::int64_t first = 0; first < rows; first += rows_at_once) {
    const std::int64_t count = std::min(rows_at_once, rows - first);
    for (std::int64_t i = 0; i < count; ++i) {
      float* row = block.data() + i * cols;
      if (slot.vector) {
        for (std::int64_t j = 0; j < cols; ++j) read(source_row(slot, j), 1, row + j);
      } else if (slot.transposed) {
        for (std::int64_t j = 0; j < cols; ++j) read(j * stored_cols + source_row(slot, first + i), 1, row + j);
      } else {
        read(source_row(slot, first + i) * stored_cols, cols, row);
      }
    }
    const ConstMatrix filled(block.data(), count, cols);
    if (!all_finite(filled))
      throw Error(Code::numeric_error, "{}: a number of it is NaN or infinite", tensor.name).with("tensor", tensor.name);
    if (slot.vector) {
      std::ranges::copy(block, slot.vector->begin());
    } else {
      slot.matrix->fill(first, filled);
    }
  }
  slot.filled = true;
}

void WeightPlan::randomize_slot(Slot& slot, Random& random, float deviation, WeightPolicy policy, float norm_weight) {
  parameters += slot.shape.size();
  slot.filled = true;
  if (slot.vector) {
    slot.vector->assign(std::size_t(slot.shape[0]), slot.name.ends_with("norm.weight") ? norm_weight : 0);
    bytes += slot.vector->size() * sizeof(float);
    return;
  }
  *slot.matrix = PackedWeights(kept_as(policy, DType::f32, slot.precision, slot.shape.size()), slot.shape[0], slot.shape[1]);
  bytes += slot.matrix->bytes();
  std::vector<float> row(std::size_t(slot.shape[1]));
  for (std::int64_t i = 0; i < slot.shape[0]; ++i) {
    for (float& x : row) x = deviation * float(random.normal());
    slot.matrix->fill(i, ConstMatrix(row.data(), 1, slot.shape[1]));
  }
}

void WeightPlan::randomize(Random& random, float deviation, WeightPolicy policy, float norm_weight) {
  for (Slot& slot : slots_)
    if (!slot.optional) randomize_slot(slot, random, deviation, policy, norm_weight);
}

void WeightPlan::leave_out(std::string_view ours) {
  for (Slot& slot : slots_) slot.left_out |= slot.name.starts_with(ours);
}

void WeightPlan::randomize_missing(Random& random, float deviation, WeightPolicy policy, float norm_weight, std::string_view or_missing) {
  for (Slot& slot : slots_) {
    const bool is_new = slot.left_out || (slot.stored_as.empty() && !slot.optional && slot.name.starts_with(or_missing));
    if (is_new) randomize_slot(slot, random, deviation, policy, norm_weight);
  }
}

void WeightPlan::finish() const {
  check_complete();
  for (const Slot& slot : slots_) {
    if (!slot.stored_as.empty() && !slot.filled) throw Error(Code::internal_error, "{}: never filled", slot.name);
  }
}

bool WeightPlan::filled(const std::shared_ptr<PackedWeights>& matrix) const {
  return std::ranges::any_of(slots_, [&](const Slot& slot) { return slot.matrix == matrix && slot.filled; });
}

bool WeightPlan::filled(const std::shared_ptr<std::vector<float>>& vector) const {
  return std::ranges::any_of(slots_, [&](const Slot& slot) { return slot.vector == vector && slot.filled; });
}

}  // namespace webformer
