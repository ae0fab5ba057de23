// JSON: what is read and written is read again as the same, the scan finds a fault where simdjson does, and every path leads back.
#include <string>

#include "formats/json.h"
#include "formats/json_scan.h"
#include "fuzz.h"

using namespace webformer;

namespace {

void walk(const Json& value) {
  fuzz::require(!value.path().empty(), "a value has a path");
  fuzz::expect_documented_end([&] { value.get_integer(); });
  fuzz::expect_documented_end([&] { value.get_size(); });
  fuzz::expect_documented_end([&] { value.get_string(); });
  if (value.is_array()) {
    for (const Json& item : value.items()) walk(item);
  }
  if (value.is_object()) {
    for (const auto& [name, member] : value.members()) {
      fuzz::require(!value[name].is_missing(), "a member is found by its name");
      walk(member);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 10'000) return 0;  // walk and path together are quadratic
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bool is_read = false;
  fuzz::expect_documented_end([&] {
    const JsonDocument document = JsonDocument::parse(text, "fuzzed");
    is_read = true;
    const std::string written = document.root().to_json();
    fuzz::require(JsonDocument::parse(written, "written").root().to_json() == written, "what is written reads back as the same");
    walk(document.root());
  });
  if (is_read) fuzz::require(scan_json(text, 600).expected.empty(), "the scan agrees with simdjson on what is right");
  return 0;
}
