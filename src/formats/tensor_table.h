#pragma once
// The table of a file of weights: which tensors it holds and where, known and checked before their numbers arrive.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "formats/dtype.h"
#include "formats/metadata.h"

namespace webformer {

struct TensorInfo {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::uint64_t begin = 0;  ///< of its bytes, in the file
  std::uint64_t end = 0;
};

/// A tensor as a foreign file describes it, from 0 to the bytes that its shape takes. Throws invalid_file for a name that is empty, over
/// 4096 bytes, or means something else elsewhere (`../`, `__proto__`, a control character), more than 8 axes, more than 2^53 numbers, or
/// rows that are not whole blocks.
TensorInfo checked_tensor(std::string_view file, std::string_view name, DType dtype, std::span<const std::int64_t> sizes);

class TensorTable {
 public:
  TensorTable() = default;
  /// Throws invalid_file for names that occur twice, and for tensors that do not cover the file from `data_begin` to `file_size`, each
  /// starting at the next multiple of `alignment` after the one before, without overlap or hole.
  TensorTable(std::string file, std::vector<TensorInfo> tensors, Metadata metadata, std::uint64_t data_begin, std::uint64_t file_size,
              std::uint64_t alignment = 1);

  /// Null where there is none of that name.
  const TensorInfo* find(std::string_view name) const noexcept;

  std::string file;                 ///< its name, for messages
  std::vector<TensorInfo> tensors;  ///< in the order of their bytes
  Metadata metadata;

 private:
  void check_coverage(std::uint64_t data_begin, std::uint64_t file_size, std::uint64_t alignment) const;

  std::vector<std::uint32_t> by_name_;  // indices of tensors, sorted by name
};

}  // namespace webformer
