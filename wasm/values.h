#pragma once
// Values on their way between C++ and JavaScript. All of them are copies: views of WebAssembly's memory end when it grows.

#include <emscripten/val.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace webformer {

/// UTF-8 as a string of JavaScript. A byte order mark stays.
emscripten::val to_js(std::string_view text);
/// {data: Float32Array, shape: number[]}
emscripten::val to_js(const Array& array);
emscripten::val to_js(const std::vector<Array>& arrays);
emscripten::val to_js(const std::vector<std::string>& texts);
/// An Int32Array, a Uint8Array.
emscripten::val to_js(std::span<const std::int32_t> numbers);
emscripten::val bytes_to_js(std::string_view bytes);

/// An array of numbers, or of arrays of numbers, which JavaScript has checked.
std::vector<std::int32_t> ids_from_js(const emscripten::val& numbers);
std::vector<std::vector<std::int32_t>> id_lists_from_js(const emscripten::val& lists);
std::vector<float> floats_from_js(const emscripten::val& numbers);
std::vector<std::string> texts_from_js(const emscripten::val& texts);

/// Bytes from JavaScript are written here first: it asks for room, fills it, and calls what reads them.
/// The block is kept from call to call, and is valid until the next one.
class Staging {
 public:
  /// The address of `size` bytes. Throws std::bad_alloc.
  static std::uintptr_t reserve(std::size_t size);
  /// Gives the block back, if it is larger than a few MB.
  static void shrink() noexcept;
  static std::span<const std::byte> bytes(std::size_t size);
  static std::string_view text(std::size_t size);
  /// Texts of these sizes in UTF-8, one after the other.
  static std::vector<std::string_view> texts(const emscripten::val& sizes);
};

}  // namespace webformer
