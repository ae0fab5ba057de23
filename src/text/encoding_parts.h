#pragma once
// Encodings cut, joined and padded. The rules are those of tokenizers' Encoding.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "text/text.h"

namespace webformer {

/// One token more.
void push_token(Encoding& encoding, std::int32_t id, std::array<std::uint32_t, 2> offsets, std::int32_t type_id, std::int32_t word,
                bool is_special);
/// Tokens [begin, end), without the overflow.
Encoding slice(const Encoding& encoding, std::size_t begin, std::size_t end);
/// The tokens of `tail` after those of `to`; the overflow of neither.
void append(Encoding& to, const Encoding& tail);

/// The parts of at most `length` tokens, each but the first repeating `stride` of the one before; from the right end where `direction` is
/// left. Throws invalid_argument where `stride` leaves nothing new.
std::vector<Encoding> split(const Encoding& encoding, std::size_t length, std::size_t stride, Side direction);

/// How many tokens of each text stay, `length` together. Throws invalid_argument where the strategy cannot do it.
std::pair<std::size_t, std::size_t> kept_lengths(std::size_t first, std::optional<std::size_t> second, std::size_t length,
                                                 TruncationStrategy strategy);

/// Fills up to `length`, the overflow as well; what is longer stays. `token` is empty where the vocabulary shows `id` as it should be.
void pad(Encoding& encoding, std::size_t length, Side direction, std::int32_t id, const std::string& token, std::int32_t type_id);

}  // namespace webformer
