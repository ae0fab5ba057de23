// Runs a fuzz target without libFuzzer: `replay [--changes N] FILE...` gives it each file, then N random changes of each.
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz.h"

namespace {

void change(std::string& text, std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return bound ? random() % bound : 0; };
  const std::size_t at = below(text.size());
  switch (below(5)) {
    case 0: text.insert(at, 1, char(random())); break;
    case 1: text.erase(at, 1 + below(8)); break;
    case 2: text.insert(at, text.substr(below(text.size()), 1 + below(16))); break;  // a part of it again
    case 3: text.resize(at); break;
    default:
      if (!text.empty()) text[at] = below(2) ? char(text[at] ^ 1 << below(8)) : "\0\xff\x7f\x80"[below(4)];
  }
}

void run(const std::string& text) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()); }

}  // namespace

int main(int count, char** arguments) {
  int first = 1, changes = 0;
  if (count > 2 && std::strcmp(arguments[1], "--changes") == 0) {
    changes = std::atoi(arguments[2]);
    first = 3;
  }
  std::mt19937 random(1);
  long runs = 0;
  for (int i = first; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: not there\n", arguments[i]);
      return 1;
    }
    const std::string parent{std::istreambuf_iterator<char>(file), {}};
    run(parent);
    for (int j = 0; j < changes; ++j) {
      std::string text = parent;
      for (auto edits = 1 + random() % 4; edits > 0; --edits) change(text, random);
      run(text);
    }
    runs += 1 + changes;
  }
  std::printf("%ld inputs, all ended as documented\n", runs);
}
