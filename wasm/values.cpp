#include "wasm/values.h"

#include <memory>

#include "core/error.h"

using emscripten::typed_memory_view;
using emscripten::val;

namespace webformer {

namespace {

val make_decoder() {
  val options = val::object();
  options.set("ignoreBOM", true);
  return val::global("TextDecoder").new_(val("utf-8"), options);
}

template <class T>
val copy_of(std::span<const T> numbers) {
  return val(typed_memory_view(numbers.size(), numbers.data())).template call<val>("slice");
}

struct Block {
  std::unique_ptr<std::byte[]> memory;
  std::size_t size = 0;
};
Block block;

}  // namespace

val to_js(std::string_view text) {
  static const val decoder = make_decoder();
  return decoder.call<val>("decode", typed_memory_view(text.size(), reinterpret_cast<const unsigned char*>(text.data())));
}

val to_js(const Array& array) {
  val shape = val::array();
  for (const std::int64_t size : array.shape.sizes()) shape.call<void>("push", double(size));
  val tensor = val::object();
  tensor.set("data", copy_of(std::span<const float>(array.data)));
  tensor.set("shape", shape);
  return tensor;
}

val to_js(const std::vector<Array>& arrays) {
  val list = val::array();
  for (const Array& array : arrays) list.call<void>("push", to_js(array));
  return list;
}

val to_js(const std::vector<std::string>& texts) {
  val list = val::array();
  for (const std::string& text : texts) list.call<void>("push", to_js(text));
  return list;
}

val to_js(std::span<const std::int32_t> numbers) { return copy_of(numbers); }

val bytes_to_js(std::string_view bytes) {
  return copy_of(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::vector<std::int32_t> ids_from_js(const val& numbers) { return emscripten::convertJSArrayToNumberVector<std::int32_t>(numbers); }

std::vector<std::vector<std::int32_t>> id_lists_from_js(const val& lists) {
  std::vector<std::vector<std::int32_t>> result;
  for (const val& list : emscripten::vecFromJSArray<val>(lists)) result.push_back(ids_from_js(list));
  return result;
}

std::vector<float> floats_from_js(const val& numbers) { return emscripten::convertJSArrayToNumberVector<float>(numbers); }

std::vector<std::string> texts_from_js(const val& texts) { return emscripten::vecFromJSArray<std::string>(texts); }

std::uintptr_t Staging::reserve(std::size_t size) {
  if (size > block.size) {
    block = {};
    block.memory = std::make_unique_for_overwrite<std::byte[]>(size);
    block.size = size;
  }
  return reinterpret_cast<std::uintptr_t>(block.memory.get());
}

void Staging::shrink() noexcept {
  constexpr std::size_t kept = 4 << 20;
  if (block.size > kept) block = {};
}

std::span<const std::byte> Staging::bytes(std::size_t size) {
  if (size > block.size) throw Error(Code::internal_error, "{} bytes are to be read, {} were reserved", size, block.size);
  return {block.memory.get(), size};
}

std::string_view Staging::text(std::size_t size) {
  const std::span<const std::byte> found = bytes(size);
  return {reinterpret_cast<const char*>(found.data()), found.size()};
}

std::vector<std::string_view> Staging::texts(const val& sizes) {
  const std::vector<std::int32_t> counts = ids_from_js(sizes);
  std::size_t total = 0;
  for (const std::int32_t count : counts) total += std::size_t(count);
  std::string_view rest = text(total);
  std::vector<std::string_view> result;
  for (const std::int32_t count : counts) {
    result.push_back(rest.substr(0, std::size_t(count)));
    rest.remove_prefix(std::size_t(count));
  }
  return result;
}

}  // namespace webformer
