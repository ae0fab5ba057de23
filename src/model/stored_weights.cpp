// The way back, from weights to the tensors of a file.

#include <algorithm>

#include "model/weight_plan.h"

namespace webformer {

void Weight::read(std::int64_t row, float* out) const {
  if (matrix) matrix->row(row, out);
  else std::ranges::copy(*vector, out);
}

std::string WeightPlan::family_name(const Slot& slot, const Candidate& candidate, bool has_head) const {
  if (slot.is_head()) return candidate.bare;
  const std::string_view prefix = names_.prefixes.front();
  return std::string(has_head ? prefix : prefix.substr(prefix.find('.') + 1)) + candidate.bare;
}

void WeightPlan::name_stored(bool has_head, const std::function<bool(std::string_view)>& has) {
  for (Slot& slot : slots_) {
    if (!slot.filled || !slot.stored_as.empty()) continue;
    const std::vector<Candidate> all = candidates(slot.name);
    const Candidate& best = *std::ranges::min_element(all, {}, [&](const Candidate& c) { return 2 * !has(c.bare) + !c.exact; });
    slot.stored_as = family_name(slot, best, has_head);
    slot.part = best.part;
    slot.transposed = best.transposed;
    const Shape shape = expected_shape(slot);
    slot.stored_shape = best.name.ends_with("final_logits_bias") ? Shape{1, shape[0]} : shape;
  }
}

void WeightPlan::rename_stored(bool has_head) {
  for (Slot& slot : slots_) {
    if (slot.stored_as.empty()) continue;
    const std::vector<Candidate> all = candidates(slot.name);
    const auto found = std::ranges::find(all, slot.stored_as, &Candidate::name);
    if (found != all.end()) slot.stored_as = family_name(slot, *found, has_head);
    slot.copies.clear();
  }
}

std::optional<WeightPlan::Place> WeightPlan::place_of(const PackedWeights& matrix, bool has_head) const {
  constexpr std::string_view ending = ".weight";
  for (const Slot& slot : slots_) {
    if (slot.matrix.get() != &matrix || slot.tied) continue;
    const std::vector<Candidate> all = candidates(slot.name);
    const auto found = std::ranges::find(all, slot.stored_as, &Candidate::name);
    if (found == all.end() || !found->bare.ends_with(ending)) return std::nullopt;
    const std::string tensor = family_name(slot, *found, has_head);
    Place place{tensor.substr(0, tensor.size() - ending.size()), expected_shape(slot)[slot.transposed ? 1 : 0], {}, slot.transposed};
    for (std::int64_t i = 0; i < slot.shape[0]; ++i) place.row.push_back(source_row(slot, i));
    return place;
  }
  return std::nullopt;
}

void WeightPlan::refill(const TensorInfo& tensor, std::span<const std::byte> bytes) const {
  for (Slot slot : slots_)
    if (slot.is_stored_as(tensor.name)) fill_slot(slot, tensor, bytes);
}

bool WeightPlan::Slot::is_stored_as(std::string_view tensor) const noexcept {
  return stored_as == tensor || std::ranges::find(copies, tensor) != copies.end();
}

void WeightPlan::tie(const std::shared_ptr<PackedWeights>& own, const std::shared_ptr<PackedWeights>& shared) {
  if (own == shared) return;
  const std::shared_ptr<PackedWeights> dropped = own;  // which may be a slot's
  for (Slot& slot : slots_) {
    if (slot.matrix != dropped || !slot.filled) continue;
    slot.matrix = shared;
    slot.tied = true;
  }
}

void WeightPlan::release() {
  std::erase_if(slots_, [](const Slot& slot) { return !slot.held(); });
}

std::vector<Weight> WeightPlan::weights() const {
  std::vector<Weight> result;
  for (const Slot& slot : slots_) {
    if (slot.held() && !slot.tied) result.push_back({slot.name, slot.matrix, slot.vector});
  }
  return result;
}

std::vector<WeightPlan::Stored> WeightPlan::stored(std::string_view ours) const {
  std::map<std::string, Shape> shapes;
  for (const Slot& slot : slots_) {
    if (!slot.held() || !slot.name.starts_with(ours)) continue;
    shapes.emplace(slot.stored_as, slot.stored_shape);
    for (const std::string& copy : slot.copies) shapes.emplace(copy, slot.stored_shape);
  }
  std::vector<Stored> result;
  for (const auto& [name, shape] : shapes) result.push_back({name, shape});
  return result;
}

Array WeightPlan::put_back(std::string_view name, const ReadRow& read) const {
  Array tensor;
  std::vector<float> row;
  for (const Slot& slot : slots_) {
    if (!slot.held() || !slot.is_stored_as(name)) continue;
    if (tensor.data.empty()) tensor = Array(slot.stored_shape);
    const std::int64_t rows = slot.vector ? 1 : slot.shape[0], cols = slot.shape[-1], stored_cols = slot.vector ? 1 : slot.stored_shape[1];
    row.resize(std::size_t(cols));
    for (std::int64_t i = 0; i < rows; ++i) {
      read({slot.name, slot.matrix, slot.vector}, i, row.data());
      for (std::int64_t j = 0; j < cols; ++j) {
        const std::int64_t place = slot.vector       ? source_row(slot, j)
                                   : slot.transposed ? j * stored_cols + source_row(slot, i)
                                                     : source_row(slot, i) * stored_cols + j;
        tensor.data[std::size_t(place)] = row[std::size_t(j)];
      }
    }
  }
  return tensor;
}

std::map<std::string, Array> WeightPlan::put_back(const ReadRow& read) const {
  std::map<std::string, Array> tensors;
  for (const Slot& slot : slots_) {
    if (slot.held() && !slot.tied && !tensors.contains(slot.stored_as)) tensors.emplace(slot.stored_as, put_back(slot.stored_as, read));
  }
  return tensors;
}

}  // namespace webformer
