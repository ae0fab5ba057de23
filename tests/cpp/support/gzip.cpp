#include "support/gzip.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace webformer::golden {
namespace {

class Inflater {  // RFC 1951
 public:
  explicit Inflater(std::string_view bytes) : in_(bytes) {}

  std::string run() {
    for (bool is_last = false; !is_last;) {
      is_last = bits(1);
      switch (bits(2)) {
        case 0: stored(); break;
        case 1: fixed(); break;
        case 2: dynamic(); break;
        default: throw std::runtime_error("gzip: a block of unknown kind");
      }
    }
    return std::move(out_);
  }

 private:
  /// Canonical Huffman codes: how many there are of each length, and the symbols in the order of their codes.
  struct Codes {
    std::array<std::uint16_t, 16> counts{};
    std::vector<std::uint16_t> symbols;

    explicit Codes(const std::vector<std::uint8_t>& lengths) : symbols(lengths.size()) {
      for (const auto length : lengths) ++counts[length];
      counts[0] = 0;
      std::array<std::uint16_t, 16> next{};
      for (unsigned i = 1; i < 15; ++i) next[i + 1] = std::uint16_t(next[i] + counts[i]);
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i]) symbols[next[lengths[i]]++] = std::uint16_t(i);
      }
    }
  };

  unsigned bits(unsigned count) {
    while (held_ < count) {
      if (at_ == in_.size()) throw std::runtime_error("gzip: it ends too early");
      buffer_ |= std::uint64_t(static_cast<unsigned char>(in_[at_++])) << held_;
      held_ += 8;
    }
    const auto value = unsigned(buffer_ & ((1u << count) - 1));
    buffer_ >>= count;
    held_ -= count;
    return value;
  }

  unsigned symbol(const Codes& codes) {
    unsigned code = 0, first = 0, index = 0;
    for (unsigned length = 1; length < 16; ++length) {
      code |= bits(1);
      const unsigned count = codes.counts[length];
      if (code < first + count) return codes.symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw std::runtime_error("gzip: no such code");
  }

  void stored() {
    buffer_ = held_ = 0;
    const unsigned size = bits(16);
    bits(16);
    for (unsigned i = 0; i < size; ++i) out_.push_back(char(bits(8)));
  }

  void fixed() {
    std::vector<std::uint8_t> lengths(288, 8);
    for (unsigned i = 144; i < 256; ++i) lengths[i] = 9;
    for (unsigned i = 256; i < 280; ++i) lengths[i] = 7;
    block(Codes(lengths), Codes(std::vector<std::uint8_t>(30, 5)));
  }

  void dynamic() {
    constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const unsigned literals = bits(5) + 257, distances = bits(5) + 1, count = bits(4) + 4;
    std::vector<std::uint8_t> lengths(19);
    for (unsigned i = 0; i < count; ++i) lengths[order[i]] = std::uint8_t(bits(3));
    const Codes codes(lengths);
    lengths.clear();
    while (lengths.size() < literals + distances) {
      const unsigned one = symbol(codes);
      if (one < 16) lengths.push_back(std::uint8_t(one));
      else if (one == 16) lengths.insert(lengths.end(), bits(2) + 3, lengths.back());
      else lengths.insert(lengths.end(), one == 17 ? bits(3) + 3 : bits(7) + 11, 0);
    }
    block(Codes({lengths.begin(), lengths.begin() + literals}),
          Codes({lengths.begin() + literals, lengths.begin() + literals + distances}));
  }

  void block(const Codes& literals, const Codes& distances) {
    for (unsigned one; (one = symbol(literals)) != 256;) {
      if (one < 256) {
        out_.push_back(char(one));
        continue;
      }
      const unsigned code = one - 257;
      const unsigned length = code == 28 ? 258 : code < 8 ? code + 3 : ((4 + code % 4) << (code / 4 - 1)) + 3 + bits(code / 4 - 1);
      const unsigned far = symbol(distances);
      const unsigned distance = far < 4 ? far + 1 : ((2 + far % 2) << (far / 2 - 1)) + 1 + bits(far / 2 - 1);
      for (unsigned i = 0; i < length; ++i) out_.push_back(out_[out_.size() - distance]);
    }
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::uint64_t buffer_ = 0;
  unsigned held_ = 0;
  std::string out_;
};

}  // namespace

std::string unpack_gzip(std::string_view bytes) {
  if (bytes.size() < 18 || bytes.substr(0, 3) != "\x1f\x8b\x08") throw std::runtime_error("gzip: not a gzip file");
  const unsigned flags = static_cast<unsigned char>(bytes[3]);
  bytes.remove_prefix(10);
  if (flags & 8) bytes.remove_prefix(bytes.find('\0') + 1);  // the file's name
  return Inflater(bytes).run();
}

}  // namespace webformer::golden
