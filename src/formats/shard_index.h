#pragma once
// model.safetensors.index.json: which of several files holds which tensor.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tensor_table.h"

namespace webformer {

class ShardIndex {
 public:
  /// Throws invalid_file for what is no such index, for a tensor that is listed twice, and for the name of a file that is not plain
  /// (letters, digits, '.', '-', '_', ending in ".safetensors"): an index must not lead elsewhere.
  ShardIndex(std::string_view json, std::string file);

  const std::vector<std::string>& files() const noexcept { return files_; }  ///< sorted, each once
  /// Whether the table of files()[number] is as the index says. Throws invalid_file where a tensor is not in the file that the index
  /// names, or is in another one.
  void check(std::size_t number, const TensorTable& table) const;

 private:
  struct Place {
    std::string tensor;
    std::uint32_t file;
  };
  static const std::string& tensor_of(const Place& place) noexcept { return place.tensor; }

  std::string name_;
  std::vector<std::string> files_;
  std::vector<Place> places_;          // in the order of the index
  std::vector<std::uint32_t> by_name_;  // indices of places, sorted by tensor
};

}  // namespace webformer
