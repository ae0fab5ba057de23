#pragma once
// What the steps of all trainings tell JavaScript.

#include <emscripten/val.h>

namespace webformer {

/// Step: RunStep or WordVectorStep.
template <class Step>
emscripten::val training_step_to_js(const Step& step) {
  emscripten::val js = emscripten::val::object();
  js.set("step", double(step.step));
  js.set("epoch", double(step.epoch));
  js.set("loss", step.loss);
  js.set("learningRate", step.learning_rate);
  js.set("gradientNorm", step.gradient_norm);
  return js;
}

}  // namespace webformer
