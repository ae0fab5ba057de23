#include "wasm/word_vector_trainer.h"

#include "formats/json.h"
#include "wasm/guard.h"
#include "wasm/job.h"
#include "wasm/training_step.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

class WordVectorJob : public JobHandle {
 public:
  explicit WordVectorJob(std::shared_ptr<WordVectorTrainer> trainer)
      : trainer_(std::move(trainer)), job_(schedule_, trainer_->step(schedule_)) {}

 private:
  bool work(Schedule::Clock::duration budget) override { return job_.step(budget); }
  val take() override {
    const WordVectorStep step = job_.take();
    val js = training_step_to_js(step);
    js.set("words", double(step.words));
    return js;
  }

  std::shared_ptr<WordVectorTrainer> trainer_;
  Schedule schedule_;
  Job<WordVectorStep> job_;
};

WordVectorConfig read_config(const Json& json) {
  WordVectorConfig c;
  c.cbow = json.get_or("kind", "skip-gram") == "cbow";
  c.dimensions = json.get_or("dimensions", c.dimensions);
  c.window = json.get_or("window", c.window);
  c.negatives = json.get_or("negatives", c.negatives);
  c.epochs = json.get_or("epochs", c.epochs);
  c.min_count = json.get_or("minCount", c.min_count);
  c.subsample = json.get_or("subsample", c.subsample);
  c.learning_rate = json.get_or("learningRate", c.cbow ? 0.05 : c.learning_rate);
  c.seed = std::uint64_t(json.get_or("seed", std::int64_t{0}));
  return c;
}

}  // namespace

val create_word_vector_trainer(std::string options) {
  return guarded([&] {
    return val(std::make_shared<WordVectorTrainerHandle>(read_config(JsonDocument::parse(options, "trainWordVectors").root())));
  });
}

val WordVectorTrainerHandle::feed(val lengths) {
  return guarded([&] {
    for (const std::string_view text : Staging::texts(lengths)) trainer_->feed(text);
    return val::undefined();
  });
}

val WordVectorTrainerHandle::begin() {
  return guarded([&] {
    trainer_->begin();
    return val(double(trainer_->total()));
  });
}

bool WordVectorTrainerHandle::done() const { return trainer_->done(); }

val WordVectorTrainerHandle::step() {
  return guarded([&] { return val(std::static_pointer_cast<JobHandle>(std::make_shared<WordVectorJob>(trainer_))); });
}

val WordVectorTrainerHandle::vectors() const {
  return guarded([&] {
    const WordVectors table = trainer_->vectors();
    val js = val::object();
    js.set("words", to_js(table.words));
    js.set("vectors", to_js(table.vectors));
    return js;
  });
}

val WordVectorTrainerHandle::checkpoint() const {
  return guarded([&] {
    const std::vector<std::byte> file = trainer_->checkpoint();
    return bytes_to_js({reinterpret_cast<const char*>(file.data()), file.size()});
  });
}

}  // namespace webformer
