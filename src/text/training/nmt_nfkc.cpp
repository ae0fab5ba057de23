#include "text/training/nmt_nfkc.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/unicode.h"
#include "core/utf8.h"
#include "text/aligned_text.h"
#include "text/double_array.h"
#include "text/normal_forms.h"

namespace webformer {
namespace {

constexpr char32_t full_width_tilde = 0xff5e;  // not the same as a tilde in Japanese
constexpr char32_t spaces[] = {0x9,    0xa,    0xc,    0xd,    0x61c,  0x1680, 0x200b, 0x200c,
                               0x200e, 0x200f, 0x2028, 0x2029, 0x2581, 0xfeff, 0xfffd};
constexpr CodePointRange removed[] = {{1, 8}, {0xb, 0xb}, {0xe, 0x1f}, {0x7f, 0x7f}, {0x8f, 0x8f}, {0x9f, 0x9f}};

std::string nfkc(char32_t c) {
  AlignedText text{.text = to_utf8(c), .spans = {}};
  normalize(text, NormalForm::Kind::nfkc);
  return std::move(text.text);
}

std::map<std::string, std::string> rules() {
  std::map<std::string, std::string> result;
  for (char32_t c = 0x80; c <= max_code_point; ++c) {
    if (c == full_width_tilde || decomposition(c, true).empty()) continue;
    std::string key = to_utf8(c), normalized = nfkc(c);
    if (normalized != key) result.emplace(std::move(key), std::move(normalized));
  }
  for (const char32_t c : spaces) result[to_utf8(c)] = " ";
  for (const CodePointRange& range : removed) {
    for (char32_t c = range.first; c <= range.last; ++c) result[to_utf8(c)] = "";
  }
  return result;
}

void append_unit(std::string& bytes, std::uint32_t unit) {
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += char(unit >> shift & 255);
}

}  // namespace

std::string nmt_nfkc_charsmap() {
  const std::map<std::string, std::string> all = rules();
  std::map<std::string_view, std::uint32_t> places;
  std::string replacements;
  std::vector<std::pair<std::string_view, std::uint32_t>> keys;
  for (const auto& [key, normalized] : all) {
    const auto [place, is_new] = places.try_emplace(normalized, std::uint32_t(replacements.size()));
    if (is_new) replacements.append(normalized).push_back('\0');
    keys.emplace_back(key, place->second);
  }
  const std::vector<std::uint32_t> units = std::move(DoubleArray::build(keys).units());
  std::string bytes;
  append_unit(bytes, std::uint32_t(units.size() * sizeof(std::uint32_t)));
  for (const std::uint32_t unit : units) append_unit(bytes, unit);
  return bytes + replacements;
}

}  // namespace webformer
