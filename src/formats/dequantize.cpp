#include "formats/dequantize.h"

#include <array>
#include <cstring>

#include "core/half.h"

namespace webformer {

namespace {

// Fields are bytes, so that a block has no padding. `d` is the scale, `m` the minimum, both IEEE halves.
using Half = std::array<std::uint8_t, 2>;
template <std::size_t size>
using Bytes = std::array<std::uint8_t, size>;

float widen(Half half) noexcept { return half_to_float(std::uint16_t(half[0] | half[1] << 8)); }
int low(std::uint8_t byte) noexcept { return byte & 15; }
int high(std::uint8_t byte) noexcept { return byte >> 4; }
int two_bits(std::uint8_t byte, int from) noexcept { return byte >> from & 3; }

// 32 numbers with one scale. Byte j holds numbers j (low half) and j + 16 (high half).

/// x = d (q - 8)
struct Q4_0 {
  Half d;
  Bytes<16> q;
  void expand(float* out) const noexcept {
    for (int j = 0; j < 16; ++j) {
      out[j] = widen(d) * float(low(q[j]) - 8);
      out[j + 16] = widen(d) * float(high(q[j]) - 8);
    }
  }
};

/// x = d q + m
struct Q4_1 {
  Half d, m;
  Bytes<16> q;
  void expand(float* out) const noexcept {
    for (int j = 0; j < 16; ++j) {
      out[j] = widen(d) * float(low(q[j])) + widen(m);
      out[j + 16] = widen(d) * float(high(q[j])) + widen(m);
    }
  }
};

/// The fifth bits of 32 numbers, one after the other, as the value 16.
int fifth_bit(const Bytes<4>& bits, int number) noexcept { return (bits[std::size_t(number / 8)] >> number % 8 & 1) << 4; }

/// x = d (q - 16)
struct Q5_0 {
  Half d;
  Bytes<4> fifth;
  Bytes<16> q;
  void expand(float* out) const noexcept {
    for (int j = 0; j < 16; ++j) {
      out[j] = widen(d) * float((low(q[j]) | fifth_bit(fifth, j)) - 16);
      out[j + 16] = widen(d) * float((high(q[j]) | fifth_bit(fifth, j + 16)) - 16);
    }
  }
};

/// x = d q + m
struct Q5_1 {
  Half d, m;
  Bytes<4> fifth;
  Bytes<16> q;
  void expand(float* out) const noexcept {
    for (int j = 0; j < 16; ++j) {
      out[j] = widen(d) * float(low(q[j]) | fifth_bit(fifth, j)) + widen(m);
      out[j + 16] = widen(d) * float(high(q[j]) | fifth_bit(fifth, j + 16)) + widen(m);
    }
  }
};

/// x = d q
struct Q8_0 {
  Half d;
  Bytes<32> q;
  void expand(float* out) const noexcept {
    for (int j = 0; j < 32; ++j) out[j] = widen(d) * float(std::int8_t(q[j]));
  }
};

/// x = d level[q], the levels spaced for normally distributed weights
struct Iq4Nl {
  Half d;
  Bytes<16> q;
  void expand(float* out) const noexcept {
    constexpr std::array<float, 16> level{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    for (int j = 0; j < 16; ++j) {
      out[j] = widen(d) * level[std::size_t(low(q[j]))];
      out[j + 16] = widen(d) * level[std::size_t(high(q[j]))];
    }
  }
};

// 256 numbers: groups of 16 or 32 have small scales of their own, multiplied by the block's.

/// x = d scale q - m minimum; 16 groups of 16, scale and minimum the halves of a byte
struct Q2K {
  Bytes<16> scales;
  Bytes<64> q;
  Half d, m;
  void expand(float* out) const noexcept {
    for (int group = 0; group < 16; ++group) {
      const float scale = widen(d) * float(low(scales[group])), minimum = widen(m) * float(high(scales[group]));
      const std::uint8_t* from = q.data() + group / 8 * 32 + group % 2 * 16;  // 32 bytes hold 4 times 32 numbers
      for (int i = 0; i < 16; ++i) *out++ = scale * float(two_bits(from[i], group % 8 / 2 * 2)) - minimum;
    }
  }
};

/// x = d (scale - 32) (q - 4), 4 less only where the third bit is not set; 16 groups of 16, scales of 6 bits
struct Q3K {
  Bytes<32> third;
  Bytes<64> q;
  Bytes<12> scales;  // 16 times the low 4 bits, then 16 times the high 2
  Half d;
  int scale_of(int group) const noexcept {
    const int four = group < 8 ? low(scales[group]) : high(scales[group - 8]);
    return (four | two_bits(scales[8 + group % 4], group / 4 * 2) << 4) - 32;
  }
  void expand(float* out) const noexcept {
    for (int group = 0; group < 16; ++group) {
      const float scale = widen(d) * float(scale_of(group));
      const int half = group % 2 * 16;
      for (int i = 0; i < 16; ++i) {
        const int value = two_bits(q[group / 8 * 32 + half + i], group % 8 / 2 * 2);
        const bool is_set = third[half + i] >> group / 2 & 1;
        *out++ = scale * float(is_set ? value : value - 4);
      }
    }
  }
};

/// Scale and minimum of 6 bits each, of 8 groups of 32, in 12 bytes.
struct ScaleAndMinimum {
  int scale, minimum;
};
ScaleAndMinimum packed_scale(const Bytes<12>& packed, int group) noexcept {
  if (group < 4) return {packed[group] & 63, packed[group + 4] & 63};
  return {low(packed[group + 4]) | packed[group - 4] >> 6 << 4, high(packed[group + 4]) | packed[group] >> 6 << 4};
}

/// x = d scale q - m minimum; 32 bytes hold 2 groups, one in the low halves, one in the high
struct Q4K {
  Half d, m;
  Bytes<12> scales;
  Bytes<128> q;
  void expand(float* out) const noexcept {
    for (int group = 0; group < 8; ++group) {
      const auto [scale, minimum] = packed_scale(scales, group);
      const float by = widen(d) * float(scale), less = widen(m) * float(minimum);
      for (int i = 0; i < 32; ++i) {
        const std::uint8_t both = q[group / 2 * 32 + i];
        *out++ = by * float(group % 2 ? high(both) : low(both)) - less;
      }
    }
  }
};

/// The same with a fifth bit: bit `group` of 32 bytes
struct Q5K {
  Half d, m;
  Bytes<12> scales;
  Bytes<32> fifth;
  Bytes<128> q;
  void expand(float* out) const noexcept {
    for (int group = 0; group < 8; ++group) {
      const auto [scale, minimum] = packed_scale(scales, group);
      const float by = widen(d) * float(scale), less = widen(m) * float(minimum);
      for (int i = 0; i < 32; ++i) {
        const std::uint8_t both = q[group / 2 * 32 + i];
        const int value = (group % 2 ? high(both) : low(both)) | (fifth[i] >> group & 1) << 4;
        *out++ = by * float(value) - less;
      }
    }
  }
};

/// x = d scale (q - 32); 16 groups of 16; each half of the block has 64 bytes of low bits and 32 of high ones
struct Q6K {
  Bytes<128> four;
  Bytes<64> two;
  Bytes<16> scales;
  Half d;
  void expand(float* out) const noexcept {
    for (int group = 0; group < 16; ++group) {
      const float scale = widen(d) * float(std::int8_t(scales[group]));
      const int half = group / 8, quarter = group % 8 / 2, from = group % 2 * 16;
      for (int i = from; i < from + 16; ++i) {
        const std::uint8_t both = four[half * 64 + quarter % 2 * 32 + i];
        const int value = (quarter < 2 ? low(both) : high(both)) | two_bits(two[half * 32 + i], quarter * 2) << 4;
        *out++ = scale * float(value - 32);
      }
    }
  }
};

template <class Block>
void expand_all(std::span<const std::byte> bytes, int numbers, float* out) noexcept {
  for (std::size_t at = 0; at + sizeof(Block) <= bytes.size(); at += sizeof(Block), out += numbers) {
    Block block;
    std::memcpy(&block, bytes.data() + at, sizeof block);
    block.expand(out);
  }
}

}  // namespace

void dequantize(DType dtype, std::span<const std::byte> bytes, float* out) noexcept {
  switch (dtype) {
    case DType::q4_0: return expand_all<Q4_0>(bytes, 32, out);
    case DType::q4_1: return expand_all<Q4_1>(bytes, 32, out);
    case DType::q5_0: return expand_all<Q5_0>(bytes, 32, out);
    case DType::q5_1: return expand_all<Q5_1>(bytes, 32, out);
    case DType::q8_0: return expand_all<Q8_0>(bytes, 32, out);
    case DType::iq4_nl: return expand_all<Iq4Nl>(bytes, 32, out);
    case DType::q2_k: return expand_all<Q2K>(bytes, 256, out);
    case DType::q3_k: return expand_all<Q3K>(bytes, 256, out);
    case DType::q4_k: return expand_all<Q4K>(bytes, 256, out);
    case DType::q5_k: return expand_all<Q5K>(bytes, 256, out);
    case DType::q6_k: return expand_all<Q6K>(bytes, 256, out);
    default: return;
  }
}

}  // namespace webformer
