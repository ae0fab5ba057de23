#include "formats/foreign_file.h"

#include <algorithm>
#include <array>

namespace webformer {

namespace {

using namespace std::literals;

constexpr std::size_t looked_at = 8;
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> known{{
    {"GGUF"sv, ", it looks like a GGUF file"sv},
    {"PK\x03\x04"sv, ", it looks like a ZIP archive or a PyTorch checkpoint: convert it to safetensors"sv},
    {"\x80\x02"sv, ", it looks like a Python pickle: convert it to safetensors"sv},
    {"\x80\x04"sv, ", it looks like a Python pickle: convert it to safetensors"sv},
    {"\x89PNG"sv, ", it looks like a PNG image"sv},
    {"\x1f\x8b"sv, ", it looks like a gzip file"sv},
    {"version "sv, ", it looks like a Git LFS pointer: fetch the file that it stands for"sv},
    {"<"sv, ", it looks like an HTML page"sv},
    {"{"sv, ", it looks like JSON text"sv},
    {"\x89HDF"sv, ", it looks like an HDF5 file"sv},
    {"\x93NUMPY"sv, ", it looks like a NumPy array"sv},
    {"\x08\x03\x12"sv, ", it looks like an ONNX model"sv},
}};

}  // namespace

std::string_view foreign_file_hint(std::span<const std::byte> start) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), std::min(start.size(), looked_at));
  const auto found = std::ranges::find_if(known, [&](const auto& entry) { return text.starts_with(entry.first); });
  return found == known.end() ? std::string_view() : found->second;
}

}  // namespace webformer
