#pragma once
// How the numbers of a file are stored: one by one, or as GGUF's blocks of 32 or 256 with shared scales.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace webformer {

enum class DType : std::uint8_t {
  f64, f32, f16, bf16, f8_e4m3, f8_e5m2,
  i64, i32, i16, i8, u64, u32, u16, u8, boolean,
  q4_0, q4_1, q5_0, q5_1, q8_0, q2_k, q3_k, q4_k, q5_k, q6_k, iq4_nl,
};

/// "F32", "BOOL", "Q4_K": safetensors' and GGUF's own names.
std::string_view name(DType dtype) noexcept;
std::optional<DType> dtype_of(std::string_view name) noexcept;

/// Whether these are real numbers, as weights are: floating-point numbers or quantized blocks of them.
bool is_float(DType dtype) noexcept;
/// Whether numbers are stored in blocks. Each row of a tensor consists of whole blocks.
bool is_quantized(DType dtype) noexcept;

/// The smallest stored unit: a number, or a block of them.
struct BlockSize {
  int numbers;
  int bytes;
};
BlockSize block_size(DType dtype) noexcept;

/// Bytes of `count` numbers, a multiple of block_size().numbers, up to 2^53.
constexpr std::uint64_t bytes_for(BlockSize block, std::int64_t count) noexcept {
  return std::uint64_t(count) / std::uint64_t(block.numbers) * std::uint64_t(block.bytes);
}
inline std::uint64_t bytes_for(DType dtype, std::int64_t count) noexcept { return bytes_for(block_size(dtype), count); }

/// Whole blocks as floats, wherever the bytes start. Exact, but for F64, which is rounded to the nearest, and the products of
/// quantized blocks, which are those of ggml. out: as many numbers as the bytes hold. is_float(dtype) must hold.
void to_floats(DType dtype, std::span<const std::byte> bytes, float* out) noexcept;
/// The same for whole numbers and booleans: is_float(dtype) must not hold. U64 beyond 2^63 wraps around.
void to_integers(DType dtype, std::span<const std::byte> bytes, std::int64_t* out) noexcept;

}  // namespace webformer
