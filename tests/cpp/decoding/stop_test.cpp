#include "decoding/stop.h"

#include <doctest/doctest.h>

using namespace webformer;

namespace {

/// The number of the first piece that completes "stop"; -1: none.
int stops_at(std::initializer_list<const char*> pieces) {
  StopMatcher matcher({"stop"});
  int number = 0;
  for (const char* piece : pieces) {
    if (matcher.push(piece)) return number;
    ++number;
  }
  return -1;
}

}  // namespace

TEST_CASE("a stop string counts with whatever hangs over at both ends, as in transformers' StopStringCriteria") {
  CHECK(stops_at({"st", "op"}) == 1);
  CHECK(stops_at({"stop"}) == 0);
  CHECK(stops_at({"st", "opera"}) == 1);
  CHECK(stops_at({"sto", "pper"}) == 1);
  CHECK(stops_at({"las", "topper"}) == 1);
  CHECK(stops_at({"s", "to", "pped"}) == 2);
  CHECK(stops_at({"s", "t", "", "o", "p"}) == 4);
  CHECK(stops_at({"st", "o", "mp"}) == -1);
}

TEST_CASE("a stop string that was complete before the newest piece does not count again") {
  StopMatcher matcher({"stop", "x"});
  CHECK(matcher.push("a stop"));
  CHECK_FALSE(matcher.push(" at"));
  CHECK_FALSE(matcher.push(""));
  CHECK(matcher.push("x"));
  CHECK_FALSE(matcher.push("y"));  // the x is still within the tail
}

TEST_CASE("a match may begin as far back as the longest stop string reaches") {
  StopMatcher matcher({"abc"});
  CHECK_FALSE(matcher.push("...ab"));
  CHECK(matcher.push("c..."));
}

TEST_CASE("several stop strings, of which one ends in the other") {
  StopMatcher matcher({"abcabd", "bd"});
  CHECK_FALSE(matcher.push("abcab"));
  CHECK_FALSE(matcher.push("c"));
  CHECK_FALSE(matcher.push("ab"));
  CHECK(matcher.push("d"));
}

TEST_CASE("a long text leaves only the tail that a match may begin in") {
  StopMatcher matcher({"needle"});
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(matcher.push("hay, need, "));
  CHECK_FALSE(matcher.push("ne"));
  CHECK_FALSE(matcher.push("ed"));
  StopMatcher copy = matcher;  // beams go on independently
  CHECK(matcher.push("le"));
  CHECK_FALSE(copy.push("ful"));
}
