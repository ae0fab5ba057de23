#include "formats/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "formats/foreign_file.h"
#include "formats/json.h"
#include "formats/excerpt.h"

namespace webformer {

namespace {

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // as the reference implementation
constexpr std::string_view metadata_name = "__metadata__";

std::uint64_t read_length(std::span<const std::byte> start) noexcept {
  std::uint64_t length;
  std::memcpy(&length, start.data(), sizeof length);
  return length;
}

std::uint64_t swapped(std::uint64_t number) noexcept {
  std::array<std::byte, 8> bytes;
  std::memcpy(bytes.data(), &number, 8);
  std::ranges::reverse(bytes);
  return read_length(bytes);
}

Metadata read_metadata(const Json& object, std::string_view file) {
  std::vector<Metadata::Entry> entries;
  for (const auto& [key, value] : object.members()) entries.emplace_back(key, std::string(value.get_string()));
  return Metadata(std::move(entries), file);
}

/// {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
TensorInfo read_tensor(std::string_view name, const Json& entry, std::uint64_t data_begin, std::string_view file) {
  const auto refuse = [&](const std::string& fault) {
    throw Error(Code::invalid_file, "{}: tensor \"{}\" has {}", file, excerpt(name), fault);
  };
  Json dtype, shape, offsets;
  for (const auto& [key, value] : entry.members()) {
    Json* place = key == "dtype" ? &dtype : key == "shape" ? &shape : key == "data_offsets" ? &offsets : nullptr;
    if (!place) refuse(format("\"{}\", which is not known", excerpt(key)));
    if (!place->is_missing()) refuse(format("\"{}\" twice", key));
    *place = value;
  }
  if (dtype.is_missing()) refuse("no \"dtype\"");
  if (shape.is_missing()) refuse("no \"shape\"");
  if (offsets.is_missing()) refuse("no \"data_offsets\"");

  const std::optional<DType> type = dtype_of(dtype.get_string());
  if (!type || is_quantized(*type)) refuse(format("type {}, none that can be read", excerpt(dtype.to_json())));
  std::vector<std::int64_t> sizes;
  for (const Json& size : shape.items()) sizes.push_back(size.get_size());
  const std::vector<Json> ends = offsets.items();
  if (ends.size() != 2) refuse(format("{} data_offsets, 2 expected", ends.size()));
  const auto begin = std::uint64_t(ends[0].get_size()), end = std::uint64_t(ends[1].get_size());

  TensorInfo tensor = checked_tensor(file, name, *type, sizes);
  if (begin > end || end - begin != tensor.end) {
    refuse(format("data_offsets [{}, {}], {} bytes expected for shape {} of {}", begin, end, tensor.end, tensor.shape,
                  webformer::name(*type)));
  }
  tensor.begin = data_begin + begin;
  tensor.end = data_begin + end;
  return tensor;
}

}  // namespace

std::uint64_t safetensors_header_bytes(std::span<const std::byte> start, std::uint64_t file_size, std::string_view file) {
  const std::string_view hint = foreign_file_hint(start);
  if (file_size < length_bytes) {
    throw Error(Code::invalid_file, "{}: {} bytes, at least 8 expected of a safetensors file{}", file, file_size, hint)
        .with("found", file_size);
  }
  const std::uint64_t length = read_length(start), most = std::min(longest_header, file_size - length_bytes);
  if (length == 0) throw Error(Code::invalid_file, "{}: a header of 0 bytes, \"{\" expected{}", file, hint);
  if (length > most) {
    const std::string_view order = hint.empty() && swapped(length) <= most ? ", its bytes look swapped (big-endian)" : "";
    throw Error(Code::invalid_file, "{}: a header of {} bytes, {} at most for a file of {} bytes{}{}", file, length, most, file_size, hint,
                order)
        .with("found", length)
        .with("bound", most);
  }
  return length_bytes + length;
}

TensorTable parse_safetensors_header(std::span<const std::byte> header, std::uint64_t file_size, std::string file) {
  const std::uint64_t data_begin = safetensors_header_bytes(header, file_size, file);
  if (header.size() < data_begin) {
    throw Error(Code::internal_error, "{}: {} bytes given, the header has {}", file, header.size(), data_begin);
  }
  std::string_view text(reinterpret_cast<const char*>(header.data()) + length_bytes, std::size_t(data_begin - length_bytes));
  if (!text.starts_with('{')) {
    throw Error(Code::invalid_file, "{}: the header starts with {}, \"{\" expected{}", file, quote_json(text.substr(0, 1)),
                foreign_file_hint(header));
  }
  const std::size_t last = text.find_last_not_of(' ');
  if (text[last] != '}') {
    throw Error(Code::invalid_file, "{}: the header ends with {}, \"}\" and spaces expected", file, quote_json(text.substr(last, 1)));
  }

  const JsonDocument document = JsonDocument::parse(text, file);
  Metadata metadata;
  bool has_metadata = false;
  std::vector<TensorInfo> tensors;
  for (const auto& [name, entry] : document.root().members()) {
    if (name != metadata_name) {
      tensors.push_back(read_tensor(name, entry, data_begin, file));
    } else {
      if (has_metadata) throw Error(Code::invalid_file, "{}: {} is there twice", file, metadata_name);
      metadata = read_metadata(entry, file);
      has_metadata = true;
    }
  }
  return TensorTable(std::move(file), std::move(tensors), std::move(metadata), data_begin, file_size);
}

}  // namespace webformer
