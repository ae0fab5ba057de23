#include <cstring>

#include "core/error.h"
#include "formats/json_writer.h"
#include "formats/safetensors.h"

namespace webformer {

namespace {

constexpr std::size_t alignment = 8;

void write_entry(JsonWriter& json, const SafetensorsItem& item, std::uint64_t begin, std::uint64_t end) {
  json.key(item.name);
  json.begin_object();
  json.member("dtype", name(item.dtype));
  json.key("shape");
  json.begin_array();
  for (const std::int64_t size : item.shape.sizes()) json.value(size);
  json.end();
  json.key("data_offsets");
  json.begin_array();
  json.value(std::int64_t(begin));
  json.value(std::int64_t(end));
  json.end();
  json.end();
}

}  // namespace

std::string safetensors_header(std::span<const SafetensorsItem> items, const SafetensorsMetadata& metadata) {
  JsonWriter json;
  json.begin_object();
  if (!metadata.empty()) {
    json.key("__metadata__");
    json.begin_object();
    for (const auto& [key, value] : metadata) json.member(key, value);
    json.end();
  }
  std::uint64_t at = 0;
  for (const SafetensorsItem& item : items) {
    if (is_quantized(item.dtype)) throw Error(Code::invalid_argument, "{}: safetensors has no type {}", item.name, name(item.dtype));
    const std::uint64_t end = at + bytes_for(item.dtype, item.shape.size());
    write_entry(json, item, at, end);
    at = end;
  }
  json.end();
  std::string text = std::move(json).text();
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  const std::uint64_t length = text.size();
  std::string header(sizeof length, '\0');
  std::memcpy(header.data(), &length, sizeof length);
  return header + text;
}

std::vector<std::byte> write_safetensors(std::span<const SafetensorsTensor> tensors, const SafetensorsMetadata& metadata) {
  std::vector<SafetensorsItem> items;
  for (const SafetensorsTensor& tensor : tensors) {
    const std::uint64_t expected = bytes_for(tensor.item.dtype, tensor.item.shape.size());
    if (tensor.bytes.size() != expected) {
      throw Error(Code::invalid_argument, "{}: {} bytes, {} expected for shape {} of {}", tensor.item.name, tensor.bytes.size(), expected,
                  tensor.item.shape, name(tensor.item.dtype));
    }
    items.push_back(tensor.item);
  }
  const std::string header = safetensors_header(items, metadata);
  const auto start = reinterpret_cast<const std::byte*>(header.data());
  std::vector<std::byte> file(start, start + header.size());
  for (const SafetensorsTensor& tensor : tensors) file.insert(file.end(), tensor.bytes.begin(), tensor.bytes.end());
  return file;
}

}  // namespace webformer
