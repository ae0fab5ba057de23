// The names that a checkpoint may have for a weight, by its family's table.

#include <algorithm>
#include <cctype>

#include "model/weight_plan.h"

namespace webformer {

namespace {

/// "encoder.12.ffn.up" -> {"encoder.#.ffn.up", "12"}. A name has one number at most.
std::pair<std::string, std::string> split_number(std::string_view name) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!digit(name[at]) || (at > 0 && name[at - 1] != '.')) continue;
    std::size_t end = at;
    while (end < name.size() && digit(name[end])) ++end;
    if (end < name.size() && name[end] != '.') continue;
    return {std::string(name.substr(0, at)) + "#" + std::string(name.substr(end)), std::string(name.substr(at, end - at))};
  }
  return {std::string(name), ""};
}

std::string put_number(std::string_view pattern, std::string_view number) {
  std::string name;
  for (const char c : pattern) c == '#' ? void(name += number) : name.push_back(c);
  return name;
}

}  // namespace

std::vector<WeightPlan::Candidate> WeightPlan::candidates(const std::string& name) const {
  const auto [pattern, number] = split_number(name);
  const std::size_t dot = pattern.rfind('.');
  const std::string module = pattern.substr(0, dot), kind = pattern.substr(dot + 1);
  std::vector<Candidate> found;
  for (const WeightName& row : names_.rows) {
    std::vector<std::string> endings;
    if (row.ours == pattern) endings = {""};
    if (row.ours == module)
      endings = kind == "weight" ? std::vector<std::string>{".weight", ".gamma"} : std::vector<std::string>{".bias", ".beta"};
    for (std::size_t prefix = 0; prefix < names_.prefixes.size(); ++prefix) {
      for (const std::string& ending : endings) {
        found.push_back({.name = std::string(names_.prefixes[prefix]) + put_number(row.theirs, number) + ending,
                         .prefix = prefix,
                         .part = row.part,
                         .transposed = row.transposed,
                         .exact = row.ours == pattern,
                         .bare = put_number(row.theirs, number) + ending});
      }
    }
  }
  if (found.empty()) throw Error(Code::internal_error, "weight {}: the family's table of names has no row for it", name);
  return found;
}

std::string WeightPlan::missing_name(const Slot& slot) const {
  const std::vector<Candidate> names = candidates(slot.name);
  std::vector<std::size_t> used(names_.prefixes.size());
  for (const Slot& other : slots_) {
    if (other.stored_as.empty()) continue;
    if (split_number(other.name).first == split_number(slot.name).first) return names[other.choice].name;
    if (other.is_head() == slot.is_head()) ++used[candidates(other.name)[other.choice].prefix];
  }
  auto usual = std::size_t(std::ranges::max_element(used) - used.begin());
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[usual] == 0 && slot.is_head() && names_.prefixes[i].empty()) usual = i;
  }
  std::string alternatives;
  for (const Candidate& candidate : names) {
    const bool is_old = candidate.name.ends_with(".gamma") || candidate.name.ends_with(".beta");
    if (candidate.prefix == usual && candidate.part == names.front().part && !is_old)
      alternatives += (alternatives.empty() ? "" : " or ") + candidate.name;
  }
  return alternatives;
}

}  // namespace webformer
