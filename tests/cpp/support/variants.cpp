#include "support/variants.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "core/format.h"

namespace webformer::test {

namespace {

/// CRC-32 as zlib has it.
std::uint32_t checksum(std::string_view text) {
  std::uint32_t crc = ~0u;
  for (const char c : text) {
    crc ^= std::uint8_t(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

NamedTensor make_tensor(std::string name, const std::vector<double>& law) {
  const std::vector<std::int64_t> sizes(law.begin() + 2, law.end());
  Array values{Shape(std::span<const std::int64_t>(sizes))};
  const std::uint32_t seed = checksum(name);
  for (std::size_t i = 0; i < values.data.size(); ++i) {
    std::uint32_t x = std::uint32_t(i) * 0x9E3779B9u + seed;
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    x ^= x >> 16;
    values.data[i] = float(law[0]) + float(law[1]) * (float(x) / 2147483648.0f - 1);
  }
  return {std::move(name), std::move(values)};
}

/// The members of an object after a patch.
std::vector<std::pair<std::string_view, Json>> merge(const Json& object, const Json& patch) {
  auto members = object.members();
  if (patch.is_missing()) return members;
  std::erase_if(members, [&](const auto& member) { return !patch[member.first].is_missing(); });
  for (const auto& member : patch.members()) members.push_back(member);
  return members;
}

}  // namespace

std::string Variant::config() const {
  std::string text;
  std::vector<std::string_view> absent;
  if (own.has("absent")) {
    for (const Json& key : own["absent"].items()) absent.push_back(key.get_string());
  }
  // null is a value there: transformers writes it, where a class has another one by itself.
  for (const auto& [key, value] : merge(plain["config"], own["config"])) {
    if (std::ranges::find(absent, key) != absent.end()) continue;
    text += webformer::format("{}\"{}\": {}", text.empty() ? "{" : ", ", key, value.to_json());
  }
  return text + "}";
}

std::vector<NamedTensor> Variant::weights() const {
  std::vector<NamedTensor> tensors;
  for (const auto& [pattern, entry] : merge(plain["weights"], own["weights"])) {
    if (entry.is_null()) continue;  // this variant does not have it
    std::vector<double> law;
    for (const Json& number : entry.items()) law.push_back(number.get_number());
    const std::vector<double> rest(law.begin() + 2, law.end());
    for (int layer = int(law[0]); layer < int(law[1]); ++layer) {
      std::string name(pattern);
      if (const std::size_t at = name.find('#'); at != std::string::npos) name.replace(at, 1, std::to_string(layer));
      tensors.push_back(make_tensor(std::move(name), rest));
    }
  }
  return tensors;
}

void for_each_variant(const std::function<void(const Variant&)>& use) {
  for (const auto& entry : std::filesystem::directory_iterator("tests/fixtures/variants")) {
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}}, family = entry.path().stem().string();
    const JsonDocument document = JsonDocument::parse(text, entry.path().filename().string());
    const Json root = document.root();
    for (const auto& [name, own] : root.members()) use({family + ": " + std::string(name), own, root["plain"]});
  }
}

}  // namespace webformer::test
