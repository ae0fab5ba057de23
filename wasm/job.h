#pragma once
// Long work that JavaScript drives: a step, a look at what came, the thread back, the next step.

#include <emscripten/val.h>

#include "core/task.h"
#include "model/attention_device.h"

namespace webformer {

class JobHandle {
 public:
  virtual ~JobHandle() = default;

  /// Works for about `milliseconds`, or to an attention for the GPU. Returns {done, items, attentions}: items are what generation made
  /// since the last step, if it made something; attentions those that the job waits for, if it does (attention_offers.h).
  emscripten::val step(double milliseconds);
  /// Once step() said that it is done.
  emscripten::val result();

  /// From here on, attentions of this length (see AttentionDevice::threshold) and above are for the GPU.
  void use_gpu(double threshold) { device_.threshold = threshold; }
  /// Attention `index` of those that the job waits for is written. The next step does the others itself.
  emscripten::val accept(std::size_t index);

 protected:
  AttentionDevice* device() noexcept { return &device_; }
  /// Attentions that the GPU did.
  double gpu_dispatches() const noexcept { return double(device_.dispatches()); }

 private:
  virtual bool work(Schedule::Clock::duration budget) = 0;
  virtual void add_news(emscripten::val&) {}
  virtual emscripten::val take() = 0;

  AttentionDevice device_;
};

}  // namespace webformer
