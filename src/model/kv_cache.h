#pragma once
// Keys and values of what was read, in pages that sequences share (PagedAttention, Kwon et al. 2023): a beam that forks copies page
// numbers, and only the page that both would write to is copied.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/tensor.h"
#include "core/workspace.h"
#include "kernels/attention.h"

namespace webformer {

class KvCache {
 public:
  static constexpr std::int64_t page_rows = 32;

  /// width: K * D floats a row. Nothing is allocated before it is needed.
  KvCache(int layers, std::int64_t width) : layers_(layers), width_(width) {}

  int add();               ///< a new empty sequence
  int fork(int sequence);  ///< a sequence that shares all pages
  void release(int sequence) noexcept;
  void clear() noexcept;  ///< releases every sequence and gives the memory back
  std::int64_t length(int sequence) const noexcept { return sequences_[std::size_t(sequence)].length; }
  bool alive(int sequence) const noexcept;
  void truncate(int sequence, std::int64_t length) noexcept;

  /// Makes room for rows [length, length + count) and counts them as read; the layers then write them. Throws std::bad_alloc.
  void extend(int sequence, std::int64_t count);
  /// Writes the keys and values of the last keys.rows rows. keys, values: [T, K*D].
  void write(int layer, int sequence, ConstMatrix keys, ConstMatrix values) noexcept;
  /// All rows of a sequence for the attention kernel; the lists of blocks come from the workspace.
  KeyValues view(int layer, int sequence, Workspace& workspace) const;
  std::size_t bytes() const noexcept { return pages_.size() * page_floats() * sizeof(float); }

 private:
  struct Page {
    std::unique_ptr<float[]> rows;  // [layers][key, value][page_rows][width]
    int users = 0;
  };
  struct Sequence {
    std::vector<int> pages;
    std::int64_t length = 0;
    bool alive = true;
  };
  std::size_t page_floats() const noexcept { return std::size_t(layers_) * 2 * page_rows * std::size_t(width_); }
  float* at(int page, int layer, int which) const noexcept;
  int new_page();
  void drop(int page) noexcept;

  int layers_;
  std::int64_t width_;
  std::vector<Page> pages_;
  std::vector<int> free_pages_;
  std::vector<Sequence> sequences_;
};

}  // namespace webformer
