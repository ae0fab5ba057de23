#pragma once
// Sets of code points, for the character classes of patterns.

#include <vector>

#include "core/unicode.h"

namespace webformer {

/// Ascending ranges that neither touch nor overlap.
class RangeSet {
 public:
  RangeSet() = default;
  explicit RangeSet(std::vector<CodePointRange> ranges);
  static RangeSet of(char32_t c) { return RangeSet({{c, c}}); }

  const std::vector<CodePointRange>& ranges() const noexcept { return ranges_; }
  bool empty() const noexcept { return ranges_.empty(); }
  bool operator==(const RangeSet&) const = default;

  RangeSet united(const RangeSet& other) const;
  RangeSet intersected(const RangeSet& other) const;
  RangeSet complement() const;  ///< of all code points
  RangeSet closed_over_case() const { return RangeSet(close_over_case(ranges_)); }

 private:
  std::vector<CodePointRange> ranges_;
};

}  // namespace webformer
