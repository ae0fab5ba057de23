#include "core/random.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace webformer {

namespace {
std::uint64_t splitmix64(std::uint64_t& state) noexcept {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
}  // namespace

Random::Random(std::uint64_t seed) noexcept {
  for (std::size_t i = 0; i < 4; i += 2) {
    const std::uint64_t bits = splitmix64(seed);
    state_[i] = std::uint32_t(bits);
    state_[i + 1] = std::uint32_t(bits >> 32);
  }
}

std::uint32_t Random::next() noexcept {
  const std::uint32_t result = std::rotl(state_[0] + state_[3], 7) + state_[0];
  const std::uint32_t shifted = state_[1] << 9;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 11);
  return result;
}

double Random::uniform() noexcept {
  const std::uint64_t high = next() >> 5, low = next() >> 6;
  return double((high << 26) | low) * 0x1p-53;
}

double Random::normal() noexcept {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint32_t Random::below(std::uint32_t bound) noexcept {
  std::uint64_t product = std::uint64_t(next()) * bound;
  if (std::uint32_t(product) < bound) {
    const std::uint32_t threshold = -bound % bound;
    while (std::uint32_t(product) < threshold) product = std::uint64_t(next()) * bound;
  }
  return std::uint32_t(product >> 32);
}

}  // namespace webformer
