#include "text/double_array.h"

#include <array>

namespace webformer {

/// Puts each node's children at the first place where all of them fit.
class DoubleArrayBuilder {
 public:
  using Keys = std::span<const std::pair<std::string_view, std::uint32_t>>;

  explicit DoubleArrayBuilder(Keys keys) : keys_(keys) {
    add_block();
    take(0);
    if (!keys.empty()) arrange(0, keys.size(), 0, 0);
  }
  std::vector<std::uint32_t> units() && { return std::move(units_); }

 private:
  static constexpr std::uint32_t block_size = 256, open_blocks = 16, none = ~0u;

  /// The children of the node at `at`: keys [begin, end) share their first `depth` bytes. As deep as the longest key, on a stack of its
  /// own.
  void arrange(std::size_t begin, std::size_t end, std::size_t depth, std::uint32_t at) {
    struct Task {
      std::size_t begin, end, depth;
      std::uint32_t at;
    };
    std::vector<Task> tasks{{begin, end, depth, at}};
    std::vector<std::uint8_t> labels;
    std::vector<std::size_t> starts;
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      labels.clear();
      starts.clear();
      for (std::size_t i = task.begin; i < task.end; ++i) {
        const std::uint8_t label = keys_[i].first.size() == task.depth ? 0 : std::uint8_t(keys_[i].first[task.depth]);
        if (labels.empty() || labels.back() != label) {
          labels.push_back(label);
          starts.push_back(i);
        }
      }
      starts.push_back(task.end);
      const std::uint32_t base = find_base(task.at, labels);
      is_base_[base] = true;
      set_offset(task.at, task.at ^ base);
      for (const std::uint8_t label : labels) take(base ^ label);
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::uint32_t child = base ^ labels[i];
        if (labels[i] == 0) {
          units_[task.at] |= DoubleArray::has_leaf;
          units_[child] = DoubleArray::is_value | keys_[starts[i]].second;
        } else {
          units_[child] = labels[i];
          tasks.push_back({starts[i], starts[i + 1], task.depth + 1, child});
        }
      }
    }
  }

  void set_offset(std::uint32_t at, std::uint32_t relative) {
    units_[at] |= relative < (1u << 21) ? relative << 10 : relative << 2 | 1u << 9;
  }

  std::uint32_t find_base(std::uint32_t at, std::span<const std::uint8_t> labels) {
    const std::uint32_t first = labels[0];
    for (std::uint32_t place = free_; place != none; place = next_[place]) {
      if (fits(at, place ^ first, labels)) return place ^ first;
    }
    // A new block; of a far one only the beginning can be said, so the node's low bits must be the same.
    const std::uint32_t base = std::uint32_t(units_.size()) | (at & 0xff);
    add_block();
    return base;
  }

  bool fits(std::uint32_t at, std::uint32_t base, std::span<const std::uint8_t> labels) const {
    const std::uint32_t relative = at ^ base;
    if (base >= units_.size() || is_base_[base] || (relative >= (1u << 21) && (relative & 0xff) != 0)) return false;
    for (const std::uint8_t label : labels) {
      if (is_taken_[base ^ label]) return false;
    }
    return true;
  }

  void take(std::uint32_t place) {
    is_taken_[place] = true;
    (previous_[place] == none ? free_ : next_[previous_[place]]) = next_[place];
    (next_[place] == none ? last_free_ : previous_[next_[place]]) = previous_[place];
  }

  void add_block() {
    const std::uint32_t begin = std::uint32_t(units_.size());
    // Blocks that are nearly full are left alone, or the search would become long.
    if (begin >= open_blocks * block_size) {
      const std::uint32_t closed = begin - open_blocks * block_size;
      for (std::uint32_t place = closed; place < closed + block_size; ++place) {
        if (!is_taken_[place]) take(place);
      }
    }
    units_.resize(begin + block_size);
    is_taken_.resize(begin + block_size);
    is_base_.resize(begin + block_size);
    next_.resize(begin + block_size, none);
    previous_.resize(begin + block_size, none);
    for (std::uint32_t place = begin; place < begin + block_size; ++place) {
      previous_[place] = last_free_;
      (last_free_ == none ? free_ : next_[last_free_]) = place;
      last_free_ = place;
    }
  }

  Keys keys_;
  std::vector<std::uint32_t> units_, next_, previous_;
  std::vector<bool> is_taken_, is_base_;
  std::uint32_t free_ = none, last_free_ = none;
};

DoubleArray DoubleArray::build(std::span<const std::pair<std::string_view, std::uint32_t>> keys) {
  return DoubleArray(DoubleArrayBuilder(keys).units());
}

}  // namespace webformer
