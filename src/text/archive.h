#pragma once
// Data to one flat block and back: numbers as they are in memory, strings and vectors with their length before them.
//
//   template <class Archive> void transfer(Archive& archive, Replace& it) { archive(it.pattern, it.content); }
//
// writes with PackArchive and reads with UnpackArchive. Each type is transferred by its own function, which the compiler finds by the
// argument.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"

namespace webformer {

class PackArchive {
 public:
  static constexpr bool is_reading = false;

  template <class... Parts>
  void operator()(Parts&... parts) {
    (put(parts), ...);
  }
  std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  void raw(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  void length(std::size_t count) {
    const auto value = std::uint64_t(count);
    raw(&value, sizeof value);
  }
  template <class T>
  void put(T& value) {
    if constexpr (std::is_trivially_copyable_v<T> && !requires(PackArchive& a, T& v) { transfer(a, v); }) {
      static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_array_v<T> || std::has_unique_object_representations_v<T>);
      raw(&value, sizeof value);
    } else {
      transfer(*this, value);
    }
  }
  void put(std::string& text) {
    length(text.size());
    raw(text.data(), text.size());
  }
  template <class T>
  void put(std::vector<T>& list) {
    length(list.size());
    if constexpr (std::is_trivially_copyable_v<T> && !requires(PackArchive& a, T& v) { transfer(a, v); }) {
      raw(list.data(), list.size() * sizeof(T));
    } else {
      for (T& item : list) put(item);
    }
  }
  template <class T>
  void put(std::optional<T>& value) {
    std::uint8_t is_there = value.has_value();
    put(is_there);
    if (value) put(*value);
  }
  template <class... Ts>
  void put(std::variant<Ts...>& value) {
    auto index = std::uint8_t(value.index());
    put(index);
    std::visit([&](auto& one) { put(one); }, value);
  }

  std::vector<std::byte> bytes_;
};

/// Throws invalid_file where the block is too short, or a length in it is beyond its end.
class UnpackArchive {
 public:
  static constexpr bool is_reading = true;

  explicit UnpackArchive(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class... Parts>
  void operator()(Parts&... parts) {
    (get(parts), ...);
  }
  bool at_end() const noexcept { return at_ == bytes_.size(); }
  [[noreturn]] static void refuse(std::string_view what) { throw Error(Code::invalid_file, "packed tokenizer: {}", what); }

 private:
  void raw(void* data, std::size_t size) {
    if (size > bytes_.size() - at_) refuse("it ends too early");
    if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
  std::size_t length(std::size_t item_size) {
    std::uint64_t count = 0;
    raw(&count, sizeof count);
    if (count > (bytes_.size() - at_) / item_size) refuse("a length is beyond its end");
    return std::size_t(count);
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      raw(&byte, 1);
      value = byte != 0;
    } else if constexpr (std::is_trivially_copyable_v<T> && !requires(UnpackArchive& a, T& v) { transfer(a, v); }) {
      raw(&value, sizeof value);
    } else {
      transfer(*this, value);
    }
  }
  void get(std::string& text) {
    text.resize(length(1));
    raw(text.data(), text.size());
  }
  template <class T>
  void get(std::vector<T>& list) {
    if constexpr (std::is_trivially_copyable_v<T> && !requires(UnpackArchive& a, T& v) { transfer(a, v); }) {
      list.resize(length(sizeof(T)));
      raw(list.data(), list.size() * sizeof(T));
    } else {
      list.clear();
      for (std::size_t count = length(1); count > 0; --count) get(list.emplace_back());
    }
  }
  template <class T>
  void get(std::optional<T>& value) {
    std::uint8_t is_there = 0;
    get(is_there);
    value.reset();
    if (is_there) get(value.emplace());
  }
  template <class... Ts>
  void get(std::variant<Ts...>& value) {
    std::uint8_t index = 0;
    get(index);
    if (index >= sizeof...(Ts)) refuse("a kind is unknown");
    std::size_t i = 0;
    ((i++ == index ? void(get(value.template emplace<Ts>())) : void()), ...);
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace webformer
