#include "core/format.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>
#include <limits>

#include "core/random.h"

using namespace webformer;

TEST_CASE("a number's text is the shortest that reads back as the same number") {
  CHECK(to_text(0.0) == "0");
  CHECK(to_text(-0.0) == "-0");
  CHECK(to_text(1000000.0) == "1000000");
  CHECK(to_text(-12345.5) == "-12345.5");
  CHECK(to_text(0.1) == "0.1");
  CHECK(to_text(0.1 + 0.2) == "0.30000000000000004");
  CHECK(to_text(1e-12) == "1e-12");
  CHECK(to_text(1e30) == "1e+30");
  CHECK(to_text(0.1f) == "0.1");
  CHECK(to_text(3.4028235e38f) == "3.4028235e+38");
  CHECK(to_text(16777216.0f) == "16777216");
  CHECK(to_text(5e-324) == "5e-324");
  CHECK(to_text(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  CHECK(to_text(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(to_text(-std::numeric_limits<double>::infinity()) == "-inf");
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto value = std::bit_cast<double>(std::uint64_t(random.next()) << 32 | random.next());
    if (value == value) CHECK(std::strtod(to_text(value).c_str(), nullptr) == value);
  }
}
