#pragma once
// The packed tables that generate.mjs writes. All numbers are varints (7 bits a byte, low ones first); differences are zigzagged.

#include <cstddef>
#include <cstdint>

namespace webformer::unicode_tables {

extern const std::uint8_t categories[];  ///< (length, category) runs over all code points
extern const std::size_t categories_size;
extern const std::uint8_t scripts[];  ///< (length, Script) runs over all code points
extern const std::size_t scripts_size;
extern const std::uint8_t sets[];  ///< (gap, length) of each set's ranges, set after set
extern const std::size_t sets_size;
extern const std::uint16_t set_starts[];  ///< where each set begins in `sets`, and where the last one ends
extern const std::size_t set_starts_size;
extern const std::uint8_t lowercase[];  ///< (gap, count, step, difference) runs of mappings
extern const std::size_t lowercase_size;
extern const std::uint8_t folding[];  ///< the same, for what case folding maps elsewhere
extern const std::size_t folding_size;
extern const std::uint8_t combining_ranks[];  ///< (length, rank) runs over all code points
extern const std::size_t combining_ranks_size;
extern const std::uint8_t canonical[];  ///< (gap, length, differences) of full decompositions
extern const std::size_t canonical_size;
extern const std::uint8_t compatibility[];  ///< the same, where the compatibility decomposition is another
extern const std::size_t compatibility_size;
extern const std::uint8_t compositions[];  ///< (gap of the first, second, difference of the result) of pairs
extern const std::size_t compositions_size;

}  // namespace webformer::unicode_tables
