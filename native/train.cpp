// webformer-train: long trainings without a browser. Its checkpoints survive a kill at any moment, its models are folders for all others.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <limits>

#include "core/error.h"
#include "formats/json.h"
#include "model/adapter.h"
#include "native/curve.h"
#include "native/data_file.h"
#include "native/files.h"
#include "native/model_folder.h"
#include "native/progress.h"
#include "native/threads.h"
#include "native/train_options.h"
#include "training/options.h"

namespace webformer {

namespace {

namespace fs = std::filesystem;

constexpr int failed = 1, wrong_usage = 2, signalled = 128;
constexpr std::int64_t checkpoint_pause = 100;
constexpr std::int64_t most_threads = 1024;

volatile std::sig_atomic_t stop_signal = 0;

/// The step that runs ends first; a second signal ends the program at once.
void ask_to_stop(int number) {
  stop_signal = number;
  std::signal(number, SIG_DFL);
}

std::int64_t count(const Arguments& arguments, std::string_view option, std::int64_t otherwise) {
  if (!arguments.has(option)) return otherwise;
  const double value = std::strtod(arguments.text(option).c_str(), nullptr);
  if (value < 1 || value != double(std::int64_t(value)))
    throw UsageError(webformer::format("--{}: {} found, a whole number of at least 1 expected", option, arguments.text(option)));
  return std::int64_t(value);
}

int count_threads(const Arguments& arguments) {
  const std::int64_t threads = count(arguments, "threads", count_cores());
  if (threads > most_threads) throw UsageError(webformer::format("--threads: {} found, at most {} expected", threads, most_threads));
  return int(threads);
}

/// Which of the choices an option has, the first where it was not given.
std::size_t choice(const Arguments& arguments, std::string_view option, std::initializer_list<std::string_view> choices) {
  if (!arguments.has(option)) return 0;
  const std::string found = arguments.text(option);
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices.begin()[i] == found) return i;
  throw UsageError(webformer::format("--{}: {} found, one of {} expected", option, found, join(choices)));
}

WeightPolicy policy_of(const Arguments& arguments) {
  constexpr std::array policies{WeightPolicy::as_stored, WeightPolicy::f32, WeightPolicy::f16, WeightPolicy::int8, WeightPolicy::int4};
  return policies[choice(arguments, "dtype", {"auto", "f32", "f16", "int8", "int4"})];
}

TrainingSet read_data(const Arguments& arguments, std::string_view option, const LoadedModel& loaded, const TrainingOptions& options,
                      const BatchOptions& batches) {
  const ModelConfig& config = loaded.model->config;
  TrainingSet data(Objective(*options.task, config, loaded.source, loaded.target, options.objective), batches,
                   std::max(config.pad_token_id, 0));
  for (const std::string& file : arguments.values.find(option)->second) add_rows(file, data);
  return data;
}

/// Where a run keeps what it goes on from, and the weights that were best on the validation data.
struct Places {
  fs::path out;
  fs::path checkpoint() const { return out / "checkpoint.safetensors"; }
  fs::path best() const { return out / "best.safetensors"; }
  fs::path curve() const { return out / "curve.csv"; }
};

class Training {
 public:
  Training(const Arguments& arguments, LoadedModel& loaded, TrainingOptions options)
      : arguments_(arguments), loaded_(loaded), places_{arguments.text("out")},
        run_(read_data(arguments, "data", loaded, options, options.batches), options.run) {
    if (arguments.has("validation")) {
      BatchOptions batches = options.batches;
      batches.shuffle = false;
      validation_.emplace(read_data(arguments, "validation", loaded, options, batches));
    }
    if (options.lora) {
      Adapter adapter = make_adapter(*loaded.model, *loaded.layout, *options.lora, options.run.trainer.seed);
      loaded.model = with_adapter(*loaded.model, std::make_shared<const Adapter>(std::move(adapter)));
    }
  }

  /// Returns the number of the signal that ended it, 0 for none.
  int run() {
    fs::create_directories(places_.out);
    const bool resumes = arguments_.has("resume") && fs::exists(places_.checkpoint());
    run_.begin(loaded_.model, resumes ? read_file(places_.checkpoint()) : std::vector<std::byte>{});
    LossCurve curve(places_.curve(), run_.steps());
    ProgressLine progress(run_.steps(), run_.total().value_or(0));
    const std::int64_t every = count(arguments_, "checkpoint-every", checkpoint_pause);
    const std::int64_t patience = count(arguments_, "early-stop", std::numeric_limits<std::int64_t>::max());
    std::int64_t without_better = 0;
    double last = std::numeric_limits<double>::infinity();
    while (!run_.done() && without_better < patience && !stop_signal) {
      const auto before = std::chrono::steady_clock::now();
      const RunStep step = Job<RunStep>(schedule_, run_.step(workspace_, schedule_)).finish();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
      const std::optional<Evaluated> validated = is_validation_due(step) ? std::optional(validate()) : std::nullopt;
      if (validated) {
        last = validated->loss;
        const bool is_better = !curve.best() || last < *curve.best();
        without_better = is_better ? 0 : without_better + 1;
        if (is_better) replace_file(places_.best(), run_.checkpoint());
      }
      curve.add(step, double(step.tokens) / seconds, validated);
      progress.show(step, double(step.tokens) / seconds, validated);
      if (step.step % every == 0) replace_file(places_.checkpoint(), run_.checkpoint());
    }
    progress.end();
    replace_file(places_.checkpoint(), run_.checkpoint());
    if (stop_signal) return stop_signal;
    if (curve.best() && *curve.best() < last && fs::exists(places_.best())) run_.restore(read_file(places_.best()));
    save();
    return 0;
  }

 private:
  bool is_validation_due(const RunStep& step) const {
    if (!validation_) return false;
    if (!arguments_.has("validate-every")) return run_.is_epoch_end() || run_.done();
    return step.step % count(arguments_, "validate-every", 1) == 0 || run_.done();
  }

  Evaluated validate() {
    Evaluation evaluation(loaded_.model, *validation_);
    while (!evaluation.done()) Job<>(schedule_, evaluation.step(workspace_, schedule_)).finish();
    return evaluation.result();
  }

  void save() {
    if (loaded_.model->adapter && !arguments_.has("merge")) return save_adapter_folder(places_.out, loaded_);
    const DType dtype = choice(arguments_, "save-dtype", {"f32", "f16"}) == 1 ? DType::f16 : DType::f32;
    save_folder(places_.out, arguments_.names[0], loaded_, dtype);
  }

  const Arguments& arguments_;
  LoadedModel& loaded_;
  Places places_;
  TrainingRun run_;
  std::optional<TrainingSet> validation_;
  Workspace workspace_;
  Schedule schedule_;
};

void print_help() {
  std::printf("Usage: webformer-train MODEL --task NAME --data FILE --out DIR [OPTION]...\n\n"
              "Trains the model of a checkpoint folder (config.json, model.safetensors, tokenizer.json), and writes such a folder.\n%s\n"
              "Examples\n"
              "  webformer-train models/gpt2 --task text-generation --data tales.txt --out tales --epochs 3 --learning-rate 1e-4\n"
              "  webformer-train models/bert --task text-classification --data spam.tsv --validation dev.tsv --early-stop 3 --out spam\n"
              "  webformer-train models/llama --dtype int8 --lora-rank 8 --task text-generation --data notes.txt --out adapter\n",
              option_help(train_options()).c_str());
}

int train(std::span<const char* const> words) {
  const Arguments arguments = read_arguments(words, train_options());
  if (arguments.has("help")) return print_help(), 0;
  if (arguments.names.size() != 1) throw UsageError("one MODEL expected, the folder of a checkpoint");
  for (const char* option : {"task", "data", "out"})
    if (!arguments.has(option)) throw UsageError(webformer::format("--{}: missing", option));
  count(arguments, "validate-every", 1);
  count(arguments, "checkpoint-every", 1);
  choice(arguments, "save-dtype", {"f32", "f16"});
  const int threads = count_threads(arguments);

  const std::string settings = training_json(arguments);
  const JsonDocument json = JsonDocument::parse(settings, "options");
  LoadSettings loading{.policy = policy_of(arguments), .fresh = arguments.has("fresh")};
  loading.seed = std::uint64_t(json.root().get_or("seed", std::int64_t{0}));
  if (arguments.has("label") || arguments.has("new-head")) {
    loading.head = NewHead{.task = arguments.text("task"), .labels = {}};
    if (arguments.has("label")) loading.head->labels = arguments.values.find("label")->second;
  }
  LoadedModel loaded = load_folder(arguments.names[0], loading);
  TrainingOptions options = read_training_options(json.root(), loaded.model->config);
  if (!options.task) throw UsageError("--task: batches found, which only programs have");
  options.run.trainer.workers = threads;
  options.run.trainer.together = run_in_threads;
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, ask_to_stop);
  const int signal = Training(arguments, loaded, std::move(options)).run();
  return signal ? signalled + signal : 0;
}

}  // namespace

}  // namespace webformer

int main(int argc, char** argv) {
  using namespace webformer;
  try {
    return train(std::span<const char* const>(argv + 1, argc > 0 ? std::size_t(argc - 1) : 0));
  } catch (const UsageError& error) {
    std::fprintf(stderr, "webformer-train: %s\nTry 'webformer-train --help'.\n", error.what());
    return wrong_usage;
  } catch (const Error& error) {
    std::fprintf(stderr, "webformer-train: %s (%s)\n", error.what(), std::string(name(error.code())).c_str());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "webformer-train: the memory is full (out_of_memory)\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "webformer-train: %s\n", error.what());
  }
  return failed;
}
