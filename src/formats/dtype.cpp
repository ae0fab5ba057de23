#include "formats/dtype.h"

#include <algorithm>
#include <cstring>

#include "core/half.h"
#include "formats/dequantize.h"

namespace webformer {

namespace {

enum class Kind { real, whole, quantized };

struct Row {
  DType dtype;
  std::string_view name;
  BlockSize block;
  Kind kind;
};

/// In the order of the enum.
constexpr Row rows[] = {
    {DType::f64, "F64", {1, 8}, Kind::real},
    {DType::f32, "F32", {1, 4}, Kind::real},
    {DType::f16, "F16", {1, 2}, Kind::real},
    {DType::bf16, "BF16", {1, 2}, Kind::real},
    {DType::f8_e4m3, "F8_E4M3", {1, 1}, Kind::real},
    {DType::f8_e5m2, "F8_E5M2", {1, 1}, Kind::real},
    {DType::i64, "I64", {1, 8}, Kind::whole},
    {DType::i32, "I32", {1, 4}, Kind::whole},
    {DType::i16, "I16", {1, 2}, Kind::whole},
    {DType::i8, "I8", {1, 1}, Kind::whole},
    {DType::u64, "U64", {1, 8}, Kind::whole},
    {DType::u32, "U32", {1, 4}, Kind::whole},
    {DType::u16, "U16", {1, 2}, Kind::whole},
    {DType::u8, "U8", {1, 1}, Kind::whole},
    {DType::boolean, "BOOL", {1, 1}, Kind::whole},
    {DType::q4_0, "Q4_0", {32, 18}, Kind::quantized},
    {DType::q4_1, "Q4_1", {32, 20}, Kind::quantized},
    {DType::q5_0, "Q5_0", {32, 22}, Kind::quantized},
    {DType::q5_1, "Q5_1", {32, 24}, Kind::quantized},
    {DType::q8_0, "Q8_0", {32, 34}, Kind::quantized},
    {DType::q2_k, "Q2_K", {256, 84}, Kind::quantized},
    {DType::q3_k, "Q3_K", {256, 110}, Kind::quantized},
    {DType::q4_k, "Q4_K", {256, 144}, Kind::quantized},
    {DType::q5_k, "Q5_K", {256, 176}, Kind::quantized},
    {DType::q6_k, "Q6_K", {256, 210}, Kind::quantized},
    {DType::iq4_nl, "IQ4_NL", {32, 18}, Kind::quantized},
};

consteval bool in_order() {
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    if (std::size_t(rows[i].dtype) != i) return false;
  }
  return true;
}
static_assert(in_order());

const Row& row_of(DType dtype) noexcept { return rows[std::size_t(dtype)]; }

/// Calls `convert` on each stored number; memcpy because the bytes may start anywhere.
template <class Stored, class Out, class Convert>
void convert_each(std::span<const std::byte> bytes, Out* out, Convert convert) noexcept {
  for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
    out[i] = convert(stored);
  }
}

template <class Stored>
void cast_each(std::span<const std::byte> bytes, std::int64_t* out) noexcept {
  convert_each<Stored>(bytes, out, [](Stored stored) { return std::int64_t(stored); });
}

/// OCP's E4M3 as machine learning has it ("fn"): bias 7, no infinity, NaN where all bits but the sign are set.
float f8_e4m3_to_float(std::uint8_t bits) noexcept {
  if ((bits & 0x7f) == 0x7f) return bfloat16_to_float(std::uint16_t(0x7fc0 | (bits & 0x80) << 8));
  // The exponent and the mantissa lie in a half's at the same distance; its bias is 8 more.
  return half_to_float(std::uint16_t((bits & 0x80) << 8 | (bits & 0x7f) << 7)) * 256;
}

/// E5M2 is the upper half of an IEEE half.
float f8_e5m2_to_float(std::uint8_t bits) noexcept { return half_to_float(std::uint16_t(bits << 8)); }

}  // namespace

std::string_view name(DType dtype) noexcept { return row_of(dtype).name; }

std::optional<DType> dtype_of(std::string_view name) noexcept {
  const auto row = std::ranges::find(rows, name, &Row::name);
  return row == std::end(rows) ? std::nullopt : std::optional(row->dtype);
}

bool is_float(DType dtype) noexcept { return row_of(dtype).kind != Kind::whole; }
bool is_quantized(DType dtype) noexcept { return row_of(dtype).kind == Kind::quantized; }
BlockSize block_size(DType dtype) noexcept { return row_of(dtype).block; }

void to_floats(DType dtype, std::span<const std::byte> bytes, float* out) noexcept {
  switch (dtype) {
    case DType::f64: return convert_each<double>(bytes, out, [](double number) { return float(number); });
    case DType::f32:
      if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
      return;
    case DType::f16: return convert_each<std::uint16_t>(bytes, out, half_to_float);
    case DType::bf16: return convert_each<std::uint16_t>(bytes, out, bfloat16_to_float);
    case DType::f8_e4m3: return convert_each<std::uint8_t>(bytes, out, f8_e4m3_to_float);
    case DType::f8_e5m2: return convert_each<std::uint8_t>(bytes, out, f8_e5m2_to_float);
    default: return dequantize(dtype, bytes, out);
  }
}

void to_integers(DType dtype, std::span<const std::byte> bytes, std::int64_t* out) noexcept {
  switch (dtype) {
    case DType::i64: return cast_each<std::int64_t>(bytes, out);
    case DType::i32: return cast_each<std::int32_t>(bytes, out);
    case DType::i16: return cast_each<std::int16_t>(bytes, out);
    case DType::i8: return cast_each<std::int8_t>(bytes, out);
    case DType::u64: return cast_each<std::uint64_t>(bytes, out);
    case DType::u32: return cast_each<std::uint32_t>(bytes, out);
    case DType::u16: return cast_each<std::uint16_t>(bytes, out);
    case DType::boolean: return convert_each<std::uint8_t>(bytes, out, [](std::uint8_t stored) { return std::int64_t(stored != 0); });
    default: return cast_each<std::uint8_t>(bytes, out);
  }
}

}  // namespace webformer
