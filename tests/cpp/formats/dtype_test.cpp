#include "formats/dtype.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace webformer;

namespace {

template <class Stored>
std::vector<std::byte> stored_at_odd_address(std::initializer_list<Stored> numbers) {
  const auto bytes = std::as_bytes(std::span(numbers.begin(), numbers.size()));
  std::vector<std::byte> shifted{std::byte(0)};
  shifted.insert(shifted.end(), bytes.begin(), bytes.end());
  return shifted;
}

template <class Stored>
std::vector<float> floats(DType dtype, std::initializer_list<Stored> numbers) {
  const auto stored = stored_at_odd_address(numbers);
  std::vector<float> result(numbers.size());
  to_floats(dtype, std::span(stored).subspan(1), result.data());
  return result;
}

template <class Stored>
std::vector<std::int64_t> integers(DType dtype, std::initializer_list<Stored> numbers) {
  const auto stored = stored_at_odd_address(numbers);
  std::vector<std::int64_t> result(numbers.size());
  to_integers(dtype, std::span(stored).subspan(1), result.data());
  return result;
}

float one_byte(DType dtype, int bits) { return floats(dtype, {std::uint8_t(bits)})[0]; }

}  // namespace

TEST_CASE("names of types are those of safetensors and GGUF, and lead back to the type") {
  CHECK(name(DType::f32) == "F32");
  CHECK(name(DType::boolean) == "BOOL");
  CHECK(name(DType::q4_k) == "Q4_K");
  CHECK(dtype_of("F8_E4M3") == DType::f8_e4m3);
  CHECK(dtype_of("IQ4_NL") == DType::iq4_nl);
  CHECK_FALSE(dtype_of("F128").has_value());
  CHECK_FALSE(dtype_of("f32").has_value());
}

TEST_CASE("weights are floating-point numbers or quantized blocks, not whole numbers") {
  CHECK(is_float(DType::f64));
  CHECK(is_float(DType::f8_e5m2));
  CHECK(is_float(DType::iq4_nl));
  CHECK_FALSE(is_float(DType::i64));
  CHECK_FALSE(is_float(DType::boolean));
  CHECK(is_quantized(DType::q4_0));
  CHECK_FALSE(is_quantized(DType::f8_e4m3));
}

TEST_CASE("sizes in bytes are exact beyond 32 bits") {
  CHECK(bytes_for(DType::f64, std::int64_t(1) << 53) == std::uint64_t(1) << 56);
  CHECK(bytes_for(DType::q4_0, 64) == 36);
  CHECK(bytes_for(DType::q6_k, 256 * (std::int64_t(1) << 40)) == 210 * (std::uint64_t(1) << 40));
}

TEST_CASE("floating-point numbers of any width become floats exactly, from any address") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(floats(DType::f32, {1.5f, -0.1f, infinity}) == std::vector<float>{1.5f, -0.1f, infinity});
  CHECK(floats(DType::f64, {1.5, 0.1, 1e-50, 1e300}) == std::vector<float>{1.5f, 0.1f, 0.0f, infinity});
  // IEEE halves: 1, -2, the largest, the least normal, the least subnormal
  using Bits = std::initializer_list<std::uint16_t>;
  CHECK(floats(DType::f16, Bits{0x3c00, 0xc000, 0x7bff, 0x0400, 1}) == std::vector<float>{1, -2, 65504, 0x1p-14f, 0x1p-24f});
  CHECK(floats(DType::bf16, Bits{0x3f80, 0x4049, 0xff80}) == std::vector<float>{1, 3.140625f, -infinity});
}

TEST_CASE("every 8-bit float has the value that the OCP specification gives it") {
  for (int bits = 0; bits < 256; ++bits) {
    const float sign = bits & 0x80 ? -1 : 1;
    CAPTURE(bits);
    const int exponent4 = bits >> 3 & 15, mantissa3 = bits & 7;
    const float e4m3 = one_byte(DType::f8_e4m3, bits);
    if ((bits & 0x7f) == 0x7f) {
      CHECK(std::isnan(e4m3));
    } else {
      CHECK(e4m3 == sign * (exponent4 ? std::ldexp(1 + float(mantissa3) / 8, exponent4 - 7) : std::ldexp(float(mantissa3) / 8, -6)));
      CHECK(std::signbit(e4m3) == (sign < 0));
    }
    const int exponent5 = bits >> 2 & 31, mantissa2 = bits & 3;
    const float e5m2 = one_byte(DType::f8_e5m2, bits);
    if (exponent5 == 31 && mantissa2) {
      CHECK(std::isnan(e5m2));
    } else if (exponent5 == 31) {
      CHECK(e5m2 == sign * std::numeric_limits<float>::infinity());
    } else {
      CHECK(e5m2 == sign * (exponent5 ? std::ldexp(1 + float(mantissa2) / 4, exponent5 - 15) : std::ldexp(float(mantissa2) / 4, -14)));
    }
  }
  CHECK(one_byte(DType::f8_e4m3, 0x7e) == 448);
  CHECK(one_byte(DType::f8_e5m2, 0x7b) == 57344);
}

TEST_CASE("whole numbers keep their sign and their width") {
  CHECK(integers(DType::i64, {INT64_MIN, INT64_MAX}) == std::vector<std::int64_t>{INT64_MIN, INT64_MAX});
  CHECK(integers(DType::i32, {INT32_MIN, INT32_MAX}) == std::vector<std::int64_t>{INT32_MIN, INT32_MAX});
  CHECK(integers(DType::i16, {std::int16_t(-5)}) == std::vector<std::int64_t>{-5});
  CHECK(integers(DType::i8, {std::int8_t(-5)}) == std::vector<std::int64_t>{-5});
  CHECK(integers(DType::u32, {UINT32_MAX}) == std::vector<std::int64_t>{UINT32_MAX});
  CHECK(integers(DType::u16, {std::uint16_t(UINT16_MAX)}) == std::vector<std::int64_t>{UINT16_MAX});
  CHECK(integers(DType::u8, {std::uint8_t(255)}) == std::vector<std::int64_t>{255});
  CHECK(integers(DType::boolean, {std::uint8_t(0), std::uint8_t(1), std::uint8_t(2)}) == std::vector<std::int64_t>{0, 1, 1});
}
