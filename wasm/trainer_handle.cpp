#include "wasm/trainer_handle.h"

#include "formats/json.h"
#include "wasm/forward_job.h"
#include "wasm/guard.h"
#include "wasm/job.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

OptimizerConfig read_optimizer(const Json& json) {
  OptimizerConfig c;
  const std::string kind = json.get_or("kind", "adamw");
  c.kind = kind == "sgd" ? OptimizerKind::sgd : kind == "adam" ? OptimizerKind::adam : OptimizerKind::adamw;
  c.momentum = float(json.get_or("momentum", 0.0));
  c.beta1 = float(json.get_or("beta1", 0.9));
  c.beta2 = float(json.get_or("beta2", 0.999));
  c.epsilon = float(json.get_or("epsilon", 1e-8));
  c.weight_decay = float(json.get_or("weightDecay", 0.0));
  c.clip = float(json.get_or("clip", 0.0));
  return c;
}

RateSchedule read_schedule(const Json& json, double peak, std::int64_t width) {
  const std::string kind = json.get_or("kind", "constant");
  return {.kind = kind == "linear"   ? RateKind::linear
                  : kind == "cosine" ? RateKind::cosine
                  : kind == "noam"   ? RateKind::noam
                                     : RateKind::constant,
          .peak = peak,
          .warmup = json.get_or("warmup", std::int64_t{0}),
          .total = json.get_or("total", std::int64_t{0}),
          .width = width};
}

TrainerConfig read_trainer(const Json& json, const ModelConfig& model) {
  TrainerConfig c;
  c.optimizer = read_optimizer(json["optimizer"]);
  c.schedule = read_schedule(json["schedule"], json["optimizer"].get_or("learningRate", 1e-3), model.top().width);
  const float dropout = float(json.get_or("dropout", 0.0));
  // Inside of a feed-forward only PyTorch's own layers drop something.
  c.dropout = {.embedding = dropout,
               .residual = dropout,
               .attention = dropout,
               .activation = model.model_type == "transformer" ? dropout : 0,
               .head = dropout};
  c.label_smoothing = float(json.get_or("labelSmoothing", 0.0));
  c.seed = std::uint64_t(json.get_or("seed", std::int64_t{0}));
  if (json.has("freeze"))
    for (const Json& name : json["freeze"].items()) c.frozen.emplace_back(name.get_string());
  return c;
}

class TrainingJob : public JobHandle {
 public:
  TrainingJob(std::shared_ptr<Trainer> trainer, std::shared_ptr<Workspace> workspace, std::vector<ForwardInputs> parts)
      : trainer_(std::move(trainer)),
        workspace_(std::move(workspace)),
        job_(schedule_, trainer_->step(std::move(parts), *workspace_, schedule_)) {}

 private:
  bool work(Schedule::Clock::duration budget) override { return job_.step(budget); }
  val take() override {
    const TrainerStep step = job_.take();
    val js = val::object();
    js.set("step", double(step.step));
    js.set("loss", step.loss);
    js.set("learningRate", step.learning_rate);
    js.set("gradientNorm", step.gradient_norm);
    return js;
  }

  std::shared_ptr<Trainer> trainer_;
  std::shared_ptr<Workspace> workspace_;
  Schedule schedule_;
  Job<TrainerStep> job_;
};

}  // namespace

TrainerHandle::TrainerHandle(std::shared_ptr<const Model> model, std::string_view options) : workspace_(std::make_shared<Workspace>()) {
  TrainerConfig config = read_trainer(JsonDocument::parse(options, "options").root(), model->config);
  trainer_ = std::make_shared<Trainer>(std::move(model), std::move(config));
}

val TrainerHandle::step(val parts) {
  return guarded([&] {
    std::vector<ForwardInputs> inputs;
    for (unsigned i = 0, count = parts["length"].as<unsigned>(); i < count; ++i) inputs.push_back(inputs_from_js(parts[i]));
    return val(std::static_pointer_cast<JobHandle>(std::make_shared<TrainingJob>(trainer_, workspace_, std::move(inputs))));
  });
}

val TrainerHandle::checkpoint() {
  return guarded([&] {
    const std::vector<std::byte> file = trainer_->checkpoint();
    return bytes_to_js({reinterpret_cast<const char*>(file.data()), file.size()});
  });
}

val TrainerHandle::resume(std::size_t length) {
  return guarded([&] {
    trainer_->resume(Staging::bytes(length));
    Staging::shrink();
    return val(double(trainer_->steps()));
  });
}

}  // namespace webformer
