#include "wasm/trainer_handle.h"

#include "formats/json.h"
#include "training/options.h"
#include "wasm/adapter_entries.h"
#include "wasm/forward_job.h"
#include "wasm/guard.h"
#include "wasm/job.h"
#include "wasm/model_handle.h"
#include "wasm/training_step.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

class TrainerHandle::StepJob : public JobHandle {
 public:
  explicit StepJob(std::shared_ptr<State> state)
      : state_(std::move(state)), job_(schedule_, state_->run.step(state_->workspace, schedule_)) {}

 private:
  bool work(Schedule::Clock::duration budget) override { return job_.step(budget); }
  val take() override {
    const RunStep step = job_.take();
    val js = training_step_to_js(step);
    js.set("tokens", double(step.tokens));
    js.set("epochEnds", state_->run.is_epoch_end());
    return js;
  }

  std::shared_ptr<State> state_;
  Schedule schedule_;
  Job<RunStep> job_;
};

class TrainerHandle::EvaluationJob : public JobHandle {
 public:
  explicit EvaluationJob(std::shared_ptr<State> state)
      : state_(std::move(state)), job_(schedule_, state_->evaluation->step(state_->workspace, schedule_)) {}

 private:
  bool work(Schedule::Clock::duration budget) override { return job_.step(budget); }
  val take() override {
    job_.take();
    if (!state_->evaluation->done()) return val::undefined();
    const Evaluated result = state_->evaluation->result();
    state_->evaluation.reset();
    val js = val::object();
    js.set("loss", result.loss);
    if (result.accuracy) js.set("accuracy", *result.accuracy);
    return js;
  }

  std::shared_ptr<State> state_;
  Schedule schedule_;
  Job<> job_;
};

TrainerHandle::TrainerHandle(std::shared_ptr<ModelHandle> model, std::shared_ptr<TokenizerHandle> source,
                             std::shared_ptr<TokenizerHandle> target, std::string_view text)
    : model_(std::move(model)) {
  const JsonDocument document = JsonDocument::parse(text, "options");
  const ModelConfig& config = model_->model()->config;
  const TrainingOptions options = read_training_options(document.root(), config);
  lora_ = options.lora;
  seed_ = options.run.trainer.seed;
  const auto set_for = [&](std::optional<TrainingTask> task, const BatchOptions& batches) {
    std::optional<Objective> objective;
    const auto tokenizer_of = [](const std::shared_ptr<TokenizerHandle>& handle) { return handle ? handle->tokenizer() : nullptr; };
    if (task) objective.emplace(*task, config, tokenizer_of(source), tokenizer_of(target), options.objective);
    return TrainingSet(std::move(objective), batches, std::max(config.pad_token_id, 0));
  };
  state_ = std::make_shared<State>(State{.run = TrainingRun(set_for(options.task, options.batches), options.run)});
  if (!document.root().has("validationTask")) return;
  BatchOptions batches = options.batches;
  batches.shuffle = false;
  state_->validation.emplace(set_for(options.validation, batches));
}

val create_trainer(std::shared_ptr<ModelHandle> model, std::string options, std::shared_ptr<TokenizerHandle> source,
                   std::shared_ptr<TokenizerHandle> target) {
  return guarded([&] { return val(std::make_shared<TrainerHandle>(std::move(model), std::move(source), std::move(target), options)); });
}

val TrainerHandle::add_rows(std::size_t length, double first, bool validation) {
  return guarded([&] {
    const JsonDocument document = JsonDocument::parse(Staging::text(length), "rows");
    auto number = std::int64_t(first);
    const std::string_view name = validation ? "validation.rows" : "rows";
    for (const Json& row : document.root().items()) data(validation).add(Row{row, webformer::format("{}[{}]", name, number++)});
    Staging::shrink();
    return val::undefined();
  });
}

val TrainerHandle::add_batches(val inputs, bool validation) {
  return guarded([&] {
    for (unsigned i = 0, count = inputs["length"].as<unsigned>(); i < count; ++i) data(validation).add(inputs_from_js(inputs[i]));
    return val::undefined();
  });
}

val TrainerHandle::close() {
  return guarded([&] {
    state_->run.close();
    return val::undefined();
  });
}

val TrainerHandle::begin(std::size_t length) {
  return guarded([&] {
    const std::shared_ptr<const Model> trained = model_to_train(*model_, lora_, seed_);
    state_->run.begin(trained, Staging::bytes(length));
    if (trained != model_->model()) model_->use(trained);
    Staging::shrink();
    val js = val::object();
    js.set("steps", double(state_->run.steps()));
    if (const auto total = state_->run.total()) js.set("total", double(*total));
    return js;
  });
}

val TrainerHandle::state() {
  return guarded([&] {
    val js = val::object();
    js.set("needsRows", state_->run.needs_rows());
    js.set("done", state_->run.done());
    return js;
  });
}

val TrainerHandle::step() {
  return guarded([&] { return val(std::static_pointer_cast<JobHandle>(std::make_shared<StepJob>(state_))); });
}

val TrainerHandle::evaluate() {
  return guarded([&] {
    if (!state_->evaluation) state_->evaluation.emplace(model_->model(), *state_->validation);
    return val(std::static_pointer_cast<JobHandle>(std::make_shared<EvaluationJob>(state_)));
  });
}

val TrainerHandle::checkpoint() {
  return guarded([&] {
    const std::vector<std::byte> file = state_->run.checkpoint();
    return bytes_to_js({reinterpret_cast<const char*>(file.data()), file.size()});
  });
}

}  // namespace webformer
