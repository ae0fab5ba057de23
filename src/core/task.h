#pragma once
// Work as resumable jobs: a forward pass or a generation is a coroutine that may stop in the middle, give the thread back, and go on
// where it was. Between two steps other calls, an abort, or the GPU have their turn.
//
//   Task<> layers(Tensor x, Schedule& schedule) {            // anything that may stop returns a Task
//     for (const Layer& layer : stack) {
//       co_await layer.forward(x, schedule);                 // ... and is awaited
//       co_await schedule.breathe();                         // stops here once the time of this step is over
//     }
//   }
//   Schedule schedule; Job job(schedule, layers(x, schedule));
//   while (!job.step(20 ms)) { }                             // rethrows what the coroutine threw

#include <chrono>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace webformer {

/// What all coroutines of a job know of each other. WebAssembly has no guaranteed tail calls, so a finished child is not allowed to
/// resume its parent from inside (the stack would grow with each await): the child runs nested until it stops for the first time,
/// and from then on the Job's loop resumes the parents.
struct TaskPromise {
  std::coroutine_handle<> self;
  TaskPromise* parent = nullptr;
  std::exception_ptr failure;

  std::suspend_always initial_suspend() const noexcept { return {}; }
  std::suspend_always final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }
};

/// The clock of one job, and the place where it stopped.
class Schedule {
 public:
  using Clock = std::chrono::steady_clock;

  /// co_await schedule.breathe(): stops if the time of this step is over.
  auto breathe() noexcept { return Stop{*this, Clock::now() >= deadline_}; }
  /// co_await schedule.pause(): stops in any case (an item is ready, or something must be done elsewhere).
  auto pause() noexcept { return Stop{*this, true}; }

 private:
  friend class JobCore;
  struct Stop {
    Schedule& schedule;
    bool now;
    bool await_ready() const noexcept { return !now; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) const noexcept {
      schedule.stopped_at_ = &handle.promise();
    }
    void await_resume() const noexcept {}
  };

  Clock::time_point deadline_ = Clock::time_point::max();
  TaskPromise* stopped_at_ = nullptr;
};

/// A coroutine that starts when it is awaited and gives its result to the one that awaits it. Destroying it abandons the work.
template <class T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  template <class Parent>
  bool await_suspend(std::coroutine_handle<Parent> parent) noexcept {
    handle_.resume();
    if (handle_.done()) return false;
    handle_.promise().parent = &parent.promise();
    return true;
  }
  T await_resume() { return take(); }

  TaskPromise& promise() const noexcept { return handle_.promise(); }
  /// The result of a finished task; rethrows what it threw.
  T take();

 private:
  Handle handle_;
};

template <class T>
struct Task<T>::promise_type : TaskPromise {
  std::optional<T> value;
  Task get_return_object() noexcept {
    self = Handle::from_promise(*this);
    return Task(Handle::from_promise(*this));
  }
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
};

template <>
struct Task<void>::promise_type : TaskPromise {
  Task get_return_object() noexcept {
    self = Handle::from_promise(*this);
    return Task(Handle::from_promise(*this));
  }
  void return_void() const noexcept {}
};

template <class T>
T Task<T>::take() {
  if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  return std::move(*handle_.promise().value);
}

template <>
inline void Task<void>::take() {
  if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
}

/// Resumes the innermost stopped coroutine, then its parents, until one stops again or the root is done.
class JobCore {
 public:
  /// Runs for about `budget`. Returns true once all is done.
  static bool run(Schedule& schedule, TaskPromise& root, Schedule::Clock::duration budget);
};

/// A task and the schedule that its coroutines share.
template <class T = void>
class Job {
 public:
  Job(Schedule& schedule, Task<T> task) : schedule_(schedule), task_(std::move(task)) {}

  /// Works for about `budget`, or to the next pause. Returns true once the result is there; rethrows the coroutine's exception.
  bool step(Schedule::Clock::duration budget = Schedule::Clock::duration::max()) {
    if (!done_) done_ = JobCore::run(schedule_, task_.promise(), budget);
    if (done_ && task_.promise().failure) task_.take();
    return done_;
  }
  /// Works to the end.
  T finish() {
    while (!step()) {
    }
    return task_.take();
  }
  T take() { return task_.take(); }

 private:
  Schedule& schedule_;
  Task<T> task_;
  bool done_ = false;
};

}  // namespace webformer
