#include "core/task.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "core/error.h"

using namespace webformer;

namespace {

Task<int> leaf(Schedule& schedule, int i) {
  if (i % 3 == 0) co_await schedule.pause();
  if (i < 0) throw Error(Code::invalid_argument, "i is {}, at least 0 expected", i);
  co_return i;
}

Task<std::int64_t> sum(Schedule& schedule, int count) {
  std::int64_t total = 0;
  for (int i = 0; i < count; ++i) total += co_await leaf(schedule, i);
  co_return total;
}

Task<std::string> recovers(Schedule& schedule) {
  try {
    co_await leaf(schedule, -3);
  } catch (const Error& error) {
    co_return error.message();
  }
  co_return "";
}

struct Counter {
  int& live;
  explicit Counter(int& live) : live(live) { ++live; }
  ~Counter() { --live; }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
};

Task<> holds(Schedule& schedule, int& live, int depth) {
  Counter counter(live);
  if (depth > 0) co_await holds(schedule, live, depth - 1);
  co_await schedule.pause();
}

}  // namespace

TEST_CASE("a job stops at each pause and goes on where it was") {
  Schedule schedule;
  Job<std::int64_t> job(schedule, sum(schedule, 10));
  int stops = 0;
  while (!job.step()) ++stops;
  CHECK(stops == 4);  // at 0, 3, 6 and 9
  CHECK(job.take() == 45);
}

TEST_CASE("a million awaits do not grow the stack") {
  Schedule schedule;
  Job<std::int64_t> job(schedule, sum(schedule, 1'000'000));
  CHECK(job.finish() == 499'999'500'000);
}

TEST_CASE("an exception passes through the coroutines that await it, also after a pause") {
  Schedule schedule;
  Job<std::string> caught(schedule, recovers(schedule));
  CHECK(caught.finish() == "i is -3, at least 0 expected");
  Job<int> thrown(schedule, leaf(schedule, -3));
  CHECK_FALSE(thrown.step());
  CHECK_THROWS_AS(thrown.step(), Error);
}

TEST_CASE("an abandoned job frees what its coroutines hold") {
  int live = 0;
  {
    Schedule schedule;
    Job<> job(schedule, holds(schedule, live, 5));
    CHECK_FALSE(job.step());
    CHECK(live == 6);
  }
  CHECK(live == 0);
}

TEST_CASE("breathe stops once the time of the step is over, and only then") {
  const auto breathes = [](Schedule& schedule) -> Task<int> {
    int passed = 0;
    for (; passed < 3; ++passed) co_await schedule.breathe();
    co_return passed;
  };
  Schedule schedule;
  Job<int> slow(schedule, breathes(schedule));
  int stops = 0;
  while (!slow.step(std::chrono::seconds(0))) ++stops;
  CHECK(stops == 3);
  Job<int> fast(schedule, breathes(schedule));
  CHECK(fast.step(std::chrono::hours(1)));
}
