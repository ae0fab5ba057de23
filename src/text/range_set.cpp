#include "text/range_set.h"

#include <algorithm>
#include <utility>

namespace webformer {

RangeSet::RangeSet(std::vector<CodePointRange> ranges) : ranges_(std::move(ranges)) {
  std::ranges::sort(ranges_, {}, &CodePointRange::first);
  std::size_t kept = 0;
  for (const CodePointRange& range : ranges_) {
    if (kept > 0 && range.first <= ranges_[kept - 1].last + 1) {
      ranges_[kept - 1].last = std::max(ranges_[kept - 1].last, range.last);
    } else {
      ranges_[kept++] = range;
    }
  }
  ranges_.resize(kept);
}

RangeSet RangeSet::united(const RangeSet& other) const {
  std::vector<CodePointRange> both = ranges_;
  both.insert(both.end(), other.ranges_.begin(), other.ranges_.end());
  return RangeSet(std::move(both));
}

RangeSet RangeSet::complement() const {
  RangeSet result;
  char32_t next = 0;
  for (const CodePointRange& range : ranges_) {
    if (range.first > next) result.ranges_.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= max_code_point) result.ranges_.push_back({next, max_code_point});
  return result;
}

RangeSet RangeSet::intersected(const RangeSet& other) const { return complement().united(other.complement()).complement(); }

}  // namespace webformer
