#pragma once
// safetensors: 8 bytes of length, a JSON header of that length, then the tensors' bytes, which cover the rest of the file exactly.
// https://huggingface.co/docs/safetensors

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/tensor_table.h"

namespace webformer {

/// Bytes before the first tensor, from the first 8 of the file (all of a shorter one). Throws invalid_file for a header that is empty, over
/// 100 MB, or longer than the file, and says what else the file looks like.
std::uint64_t safetensors_header_bytes(std::span<const std::byte> start, std::uint64_t file_size, std::string_view file);

/// `header`: the file up to the first tensor. Throws invalid_file for anything that is not as the format says. Nothing is allocated by a
/// number of the file before it is checked.
TensorTable parse_safetensors_header(std::span<const std::byte> header, std::uint64_t file_size, std::string file);

using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

struct SafetensorsItem {
  std::string name;
  DType dtype;
  Shape shape;
};

/// The file up to the first tensor; the tensors' bytes follow in the order of `items`. Padded with spaces so that they start at a multiple
/// of 8. Throws invalid_argument for quantized types, which the format lacks.
std::string safetensors_header(std::span<const SafetensorsItem> items, const SafetensorsMetadata& metadata = {});

struct SafetensorsTensor {
  SafetensorsItem item;
  std::span<const std::byte> bytes;
};

/// A whole file. Throws invalid_argument where bytes are not as many as the shape takes.
std::vector<std::byte> write_safetensors(std::span<const SafetensorsTensor> tensors, const SafetensorsMetadata& metadata = {});

}  // namespace webformer
