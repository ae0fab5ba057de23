#include "wasm/layer_handle.h"

#include "formats/tensor_stream.h"
#include "wasm/guard.h"
#include "wasm/job.h"
#include "wasm/memory_limit.h"
#include "wasm/staged_floats.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

void read_weights(WeightPlan& plan, std::size_t length) {
  TensorStream stream("weights", length,
                      {.table = [&](const TensorTable& table) { plan.bind(table, WeightPolicy::f32, free_memory()); },
                       .wants = [&](const TensorInfo& tensor) { return plan.wants(tensor.name); },
                       .tensor = [&](const TensorInfo& tensor, std::span<const std::byte> bytes) { plan.fill(tensor, bytes); }});
  stream.push(Staging::bytes(length));
  stream.finish();
  plan.finish();
  if (!plan.unused.empty()) throw Error(Code::invalid_argument, "weights: the layer has none of the name {}", plan.unused.front());
}

Array take_array(StagedFloats& staged, const Json& sizes) {
  std::vector<std::int64_t> shape;
  for (const Json& size : sizes.items()) shape.push_back(size.get_integer());
  Array array = checked_array(Shape(shape));
  std::copy_n(staged.take(array.size()), array.data.size(), array.data.data());
  return array;
}

std::vector<std::uint8_t> take_mask(StagedFloats& staged, std::int64_t size) {
  const float* from = staged.take(size);
  std::vector<std::uint8_t> mask(std::size_t(size), 0);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = from[i] != 0;
  return mask;
}

LayerInputs read_inputs(const Json& call) {
  StagedFloats staged;
  LayerInputs inputs;
  inputs.x = take_array(staged, call["x"]);
  if (call.has("key")) inputs.key = take_array(staged, call["key"]);
  if (call.has("value")) inputs.value = take_array(staged, call["value"]);
  inputs.mask = take_mask(staged, call.get_or("mask", 0));
  inputs.memory_mask = take_mask(staged, call.get_or("memoryMask", 0));
  inputs.source_mask = take_mask(staged, call.get_or("sourceMask", 0));
  inputs.causal = call["causal"].get_bool();
  return inputs;
}

class LayerJob : public JobHandle {
 public:
  LayerJob(std::shared_ptr<const LayerPiece> layer, LayerInputs inputs)
      : layer_(std::move(layer)), job_(schedule_, layer_->forward(std::move(inputs), workspace_, schedule_)) {}

 private:
  bool work(Schedule::Clock::duration budget) override { return job_.step(budget); }
  val take() override {
    val outputs = val::object();
    for (const auto& [name, tensor] : job_.take()) outputs.set(name, to_js(tensor));
    return outputs;
  }

  std::shared_ptr<const LayerPiece> layer_;
  Workspace workspace_;
  Schedule schedule_;
  Job<std::map<std::string, Array>> job_;
};

}  // namespace

val LayerHandle::forward(std::string call) const {
  return guarded([&] {
    LayerInputs inputs = read_inputs(JsonDocument::parse(call, "forward").root());
    Staging::shrink();
    return val(std::static_pointer_cast<JobHandle>(std::make_shared<LayerJob>(layer_, std::move(inputs))));
  });
}

val create_layer(std::string kind, std::string options, std::size_t length) {
  return guarded([&] {
    auto layer = std::make_shared<LayerPiece>(kind, JsonDocument::parse(options, "createLayer").root());
    read_weights(layer->plan(), length);
    Staging::shrink();
    return val(std::make_shared<LayerHandle>(std::move(layer)));
  });
}

}  // namespace webformer
