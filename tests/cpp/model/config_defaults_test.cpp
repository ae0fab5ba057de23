// config.json where it is silent: read as if what the config classes of transformers fill in were written there.

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>

#include "core/format.h"
#include "model/families/family.h"

using namespace webformer;

namespace {

using Members = std::map<std::string, std::string, std::less<>>;

/// The members of `first`, then those of `second` in their place or besides.
Members merged(Members first, const Json& second) {
  for (const auto& [key, value] : second.members()) first.insert_or_assign(std::string(key), value.to_json());
  return first;
}

ModelConfig read(const Members& members) {
  std::string text;
  for (const auto& [key, value] : members) text += webformer::format("{}\"{}\": {}", text.empty() ? "{" : ", ", key, value);
  return read_config(JsonDocument::parse(text + "}", "config.json").root());
}

}  // namespace

TEST_CASE("a key that config.json does not have means what the config class of transformers 5 takes for it") {
  std::ifstream file("tests/fixtures/config_defaults.json");
  const JsonDocument document = JsonDocument::parse(std::string{std::istreambuf_iterator<char>(file), {}}, "config_defaults.json");
  const auto families_there = document.root().members();
  CHECK(families_there.size() == families().size() - 1);  // transformers has no class for nn.Transformer
  for (const auto& [family, cases] : families_there) {
    CAPTURE(family);
    const Json plain = cases.items().front();
    for (const Json& one : cases.items()) {
      const Members said = merged(merged({}, plain["said"]), one["said"]);
      const Members all = merged(merged(merged(merged({}, plain["said"]), plain["filled"]), one["said"]), one["filled"]);
      CAPTURE(one["said"].to_json());
      ModelConfig expected;
      REQUIRE_NOTHROW(expected = read(all));
      CHECK(read(said) == expected);
      for (const auto& [key, value] : all) {
        if (said.contains(key)) continue;
        CAPTURE(key);
        CAPTURE(value);
        Members without = all;
        without.erase(key);
        CHECK(read(without) == expected);
      }
    }
  }
}
