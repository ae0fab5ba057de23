#include "formats/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "formats/json_writer.h"
#include "formats/excerpt.h"

namespace webformer {

namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::size_t longest_header = 256 << 20;
constexpr std::uint64_t longest_key = 65535;
constexpr std::uint32_t most_axes = 4;
constexpr std::int64_t default_alignment = 32;

enum class ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

/// The least bytes that a value takes, or 0 for a type that does not exist.
std::uint64_t least_bytes(ValueType type) noexcept {
  switch (type) {
    case ValueType::u8: case ValueType::i8: case ValueType::boolean: return 1;
    case ValueType::u16: case ValueType::i16: return 2;
    case ValueType::u32: case ValueType::i32: case ValueType::f32: return 4;
    case ValueType::string: case ValueType::u64: case ValueType::i64: case ValueType::f64: return 8;
    case ValueType::array: return 12;
  }
  return 0;
}
constexpr std::uint64_t least_entry = 8 + 1 + 4 + 1;        // length and key, type, value
constexpr std::uint64_t least_tensor = 8 + 1 + 4 + 4 + 8;   // length and name, axes, type, offset

/// ggml's numbers of tensor types; those that are not read have a name only.
struct TensorType {
  std::uint32_t number;
  std::string_view name;
};
constexpr TensorType tensor_types[] = {
    {0, "F32"},      {1, "F16"},     {2, "Q4_0"},   {3, "Q4_1"},   {6, "Q5_0"},     {7, "Q5_1"},    {8, "Q8_0"},   {9, "Q8_1"},
    {10, "Q2_K"},    {11, "Q3_K"},   {12, "Q4_K"},  {13, "Q5_K"},  {14, "Q6_K"},    {15, "Q8_K"},   {16, "IQ2_XXS"}, {17, "IQ2_XS"},
    {18, "IQ3_XXS"}, {19, "IQ1_S"},  {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},  {23, "IQ4_XS"}, {24, "I8"},    {25, "I16"},
    {26, "I32"},     {27, "I64"},    {28, "F64"},   {29, "IQ1_M"}, {30, "BF16"},    {34, "TQ1_0"},  {35, "TQ2_0"}, {39, "MXFP4"}};

/// Reads bytes that may end too early: from then on everything is 0, and is_short() tells.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Number>
  Number number() noexcept {
    Number result{};
    const auto part = take(sizeof result);
    if (!part.empty()) std::memcpy(&result, part.data(), sizeof result);
    return result;
  }
  std::string text(std::uint64_t length) {
    const auto part = take(length);
    return std::string(reinterpret_cast<const char*>(part.data()), part.size());
  }
  std::uint64_t at() const noexcept { return at_; }
  bool is_short() const noexcept { return short_; }

 private:
  std::span<const std::byte> take(std::uint64_t count) noexcept {
    if (short_ || count > bytes_.size() - at_) {
      short_ = true;
      return {};
    }
    at_ += std::size_t(count);
    return bytes_.subspan(at_ - std::size_t(count), std::size_t(count));
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool short_ = false;
};

class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> start, std::uint64_t file_size, const std::string& file)
      : start_(start.first(std::size_t(std::min<std::uint64_t>(start.size(), file_size)))),
        file_size_(file_size),
        file_(file),
        in_(start_) {}

  std::optional<TensorTable> read() {
    in_.text(magic.size());
    check_version(in_.number<std::uint32_t>());
    const std::uint64_t tensors = count("tensors", least_tensor), entries = count("metadata entries", least_entry);
    std::vector<Metadata::Entry> values;
    for (std::uint64_t i = 0; i < entries && !in_.is_short(); ++i) values.push_back(entry());
    std::vector<TensorInfo> infos;
    for (std::uint64_t i = 0; i < tensors && !in_.is_short(); ++i) infos.push_back(tensor());
    if (in_.is_short()) {
      if (start_.size() >= file_size_) refuse(format("the file ends in its header, after {} bytes", file_size_));
      if (start_.size() >= longest_header) refuse(format("a header of more than {} bytes", longest_header));
      return std::nullopt;
    }

    Metadata metadata(std::move(values), file_);
    const std::uint64_t alignment = alignment_of(metadata);
    const std::uint64_t data_begin = (in_.at() + alignment - 1) / alignment * alignment;  // beyond the end where a vocabulary is all
    for (TensorInfo& info : infos) {
      info.begin += data_begin;
      info.end += data_begin;
    }
    return TensorTable(file_, std::move(infos), std::move(metadata), data_begin, file_size_, alignment);
  }

 private:
  [[noreturn]] void refuse(std::string_view fault) const { throw Error(Code::invalid_file, "{}: {}", file_, fault); }

  void check_version(std::uint32_t version) const {
    if (in_.is_short() || version == 2 || version == 3) return;
    const bool is_swapped = (version & 0xffff) == 0;
    refuse(format("GGUF version {}{}, 2 or 3 expected", version, is_swapped ? " (a big-endian file)" : ""));
  }

  /// A number of items that take at least `least` bytes each.
  std::uint64_t count(std::string_view items, std::uint64_t least) {
    const auto found = in_.number<std::uint64_t>();
    const std::uint64_t most = (file_size_ - in_.at()) / least;
    if (found > most) refuse(format("{} {}, {} at most in the bytes that follow", found, items, most));
    return found;
  }

  /// `what()` names the text for a message.
  template <class What>
  std::string text(std::uint64_t longest, What what) {
    const auto length = in_.number<std::uint64_t>();
    const std::uint64_t most = std::min(longest, file_size_ - in_.at());
    if (length > most) refuse(format("{} of {} bytes, {} at most", what(), length, most));
    return in_.text(length);
  }

  Metadata::Entry entry() {
    std::string key = text(longest_key, [] { return "a metadata key"; });
    const auto type = ValueType(in_.number<std::uint32_t>());
    if (key.empty() && !in_.is_short()) refuse("a metadata key of 0 bytes, 1 or more expected");
    MetadataValue its_value = type == ValueType::array ? array(key) : value(key, type);
    return {std::move(key), std::move(its_value)};
  }

  MetadataValue value(std::string_view key, ValueType type) {
    switch (type) {
      case ValueType::boolean: return boolean(key);
      case ValueType::string: return string(key);
      case ValueType::u64:
        if (const auto number = in_.number<std::uint64_t>(); number >> 63) return double(number);
        else return std::int64_t(number);
      case ValueType::f32: case ValueType::f64: return real(type);
      default: return integer(key, type);
    }
  }

  MetadataValue array(std::string_view key) {
    const auto type = ValueType(in_.number<std::uint32_t>());
    const std::uint64_t least = least_bytes(type);
    if (least == 0 || type == ValueType::array) {
      refuse(format("metadata {} is an array of type {}, 0 to 8 or 10 to 12 expected", quoted(key), std::uint32_t(type)));
    }
    const std::uint64_t size = count(format("values of {}", quoted(key)), least);
    switch (type) {
      case ValueType::boolean: return list<bool>(size, [&] { return boolean(key); });
      case ValueType::string: return list<std::string>(size, [&] { return string(key); });
      case ValueType::f32: case ValueType::f64: return list<double>(size, [&] { return real(type); });
      default: return list<std::int64_t>(size, [&] { return integer(key, type); });
    }
  }

  template <class Value, class Read>
  std::vector<Value> list(std::uint64_t size, Read read) {
    std::vector<Value> values;
    for (std::uint64_t i = 0; i < size && !in_.is_short(); ++i) values.push_back(read());
    return values;
  }

  bool boolean(std::string_view key) {
    const auto byte = in_.number<std::uint8_t>();
    if (byte > 1) refuse(format("metadata {}: a boolean of {}, 0 or 1 expected", quoted(key), byte));
    return byte == 1;
  }
  std::string string(std::string_view key) { return text(file_size_, [&] { return format("metadata {}: a text", quoted(key)); }); }
  double real(ValueType type) { return type == ValueType::f32 ? double(in_.number<float>()) : in_.number<double>(); }
  std::int64_t integer(std::string_view key, ValueType type) {
    switch (type) {
      case ValueType::u8: return in_.number<std::uint8_t>();
      case ValueType::i8: return in_.number<std::int8_t>();
      case ValueType::u16: return in_.number<std::uint16_t>();
      case ValueType::i16: return in_.number<std::int16_t>();
      case ValueType::u32: return in_.number<std::uint32_t>();
      case ValueType::i32: return in_.number<std::int32_t>();
      case ValueType::i64: return in_.number<std::int64_t>();
      case ValueType::u64:
        if (const auto number = in_.number<std::int64_t>(); number >= 0) return number;
        refuse(format("metadata {} has a number over 2^63 - 1", quoted(key)));
      default: refuse(format("metadata {} has type {}, 0 to 12 expected", quoted(key), std::uint32_t(type)));
    }
  }

  /// With its place counted from the start of the data.
  TensorInfo tensor() {
    const std::string its_name = text(longest_key, [] { return "a tensor's name"; });
    const auto axes = in_.number<std::uint32_t>();
    if (axes > most_axes) refuse(format("tensor {}: {} axes, {} at most", quoted(its_name), axes, most_axes));
    std::vector<std::int64_t> sizes;
    for (std::uint32_t i = 0; i < axes; ++i) {
      const auto size = in_.number<std::uint64_t>();
      if (size > std::uint64_t(1) << 53) refuse(format("tensor {}: an axis of size {}, 2^53 at most", quoted(its_name), size));
      sizes.push_back(std::int64_t(size));
    }
    std::ranges::reverse(sizes);
    const auto type = in_.number<std::uint32_t>();
    const auto offset = in_.number<std::uint64_t>();
    if (in_.is_short()) return {};
    if (offset > file_size_) {
      refuse(format("tensor {} begins {} bytes into the data of a file of {} bytes", quoted(its_name), offset, file_size_));
    }
    TensorInfo info = checked_tensor(file_, its_name, dtype(its_name, type), sizes);
    info.begin += offset;
    info.end += offset;
    return info;
  }

  DType dtype(std::string_view tensor, std::uint32_t number) const {
    const auto type = std::ranges::find(tensor_types, number, &TensorType::number);
    if (type == std::end(tensor_types)) refuse(format("tensor {} has type {}, which does not exist", quoted(tensor), number));
    const std::optional<DType> read = dtype_of(type->name);
    if (!read) throw Error(Code::unsupported_model, "{}: tensor {} has type {}, which is not read", file_, quoted(tensor), type->name);
    return *read;
  }

  std::uint64_t alignment_of(const Metadata& metadata) const {
    const MetadataValue* found = metadata.find("general.alignment");
    const std::int64_t* number = std::get_if<std::int64_t>(found);
    const std::int64_t alignment = found ? (number ? *number : 0) : default_alignment;
    if (alignment < 1 || alignment > INT32_MAX || !std::has_single_bit(std::uint64_t(alignment))) {
      refuse(format("general.alignment is {}, a power of 2 expected", number ? to_text(alignment) : "no whole number"));
    }
    return std::uint64_t(alignment);
  }

  static std::string quoted(std::string_view text) { return quote_json(excerpt(text)); }

  std::span<const std::byte> start_;
  std::uint64_t file_size_;
  const std::string& file_;
  Cursor in_;
};

}  // namespace

bool is_gguf(std::span<const std::byte> start) noexcept {
  return start.size() >= magic.size() && std::memcmp(start.data(), magic.data(), magic.size()) == 0;
}

std::optional<TensorTable> parse_gguf_header(std::span<const std::byte> start, std::uint64_t file_size, std::string file) {
  return HeaderReader(start, file_size, file).read();
}

}  // namespace webformer
