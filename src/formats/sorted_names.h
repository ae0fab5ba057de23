#pragma once
// Look-up by name among many items in file order, and the search for twins: n log n, whatever names a hostile file chooses.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

namespace webformer {

/// Indices of `items`, sorted by `name_of(item)`; twins stay in file order.
template <class Items, class NameOf>
std::vector<std::uint32_t> sort_by_name(const Items& items, NameOf name_of) {
  std::vector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const int comparison = std::string_view(name_of(items[a])).compare(name_of(items[b]));
    return comparison < 0 || (comparison == 0 && a < b);
  });
  return order;
}

/// The index of the second of two items with one name.
template <class Items, class NameOf>
std::optional<std::uint32_t> find_twin(const std::vector<std::uint32_t>& order, const Items& items, NameOf name_of) {
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return name_of(items[a]) == name_of(items[b]); };
  const auto twin = std::ranges::adjacent_find(order, same);
  return twin == order.end() ? std::nullopt : std::optional(twin[1]);
}

/// The item of that name, or null.
template <class Items, class NameOf>
auto find_by_name(const std::vector<std::uint32_t>& order, const Items& items, NameOf name_of, std::string_view name) noexcept {
  const auto at = std::ranges::lower_bound(order, name, {}, [&](std::uint32_t i) { return std::string_view(name_of(items[i])); });
  return at != order.end() && name_of(items[*at]) == name ? &items[*at] : nullptr;
}

}  // namespace webformer
