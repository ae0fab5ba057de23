#pragma once
// Long work that JavaScript drives: a step, a look at what came, the thread back, the next step.

#include <emscripten/val.h>

#include <chrono>

#include "core/task.h"
#include "wasm/guard.h"

namespace webformer {

class JobHandle {
 public:
  virtual ~JobHandle() = default;

  /// Works for about `milliseconds`. Returns {done, items}: what generation made since the last step, if it made something.
  emscripten::val step(double milliseconds) {
    return guarded([&] {
      emscripten::val state = emscripten::val::object();
      const auto budget = std::chrono::duration_cast<Schedule::Clock::duration>(std::chrono::duration<double, std::milli>(milliseconds));
      state.set("done", work(budget));
      add_news(state);
      return state;
    });
  }
  /// Once step() said that it is done.
  emscripten::val result() {
    return guarded([&] { return take(); });
  }

 protected:
  virtual bool work(Schedule::Clock::duration budget) = 0;
  virtual void add_news(emscripten::val&) {}
  virtual emscripten::val take() = 0;
};

}  // namespace webformer
