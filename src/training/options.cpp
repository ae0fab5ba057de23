#include "training/options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace webformer {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(std::string_view name, const Json& found, const std::string& expected) {
  throw Error(Code::invalid_argument, "{}: {} found, {} expected", name, found.to_json(), expected).with("option", name);
}

/// The member of an object, whose full name is `name`.
Json member(const Json& object, std::string_view name) { return object[name.substr(name.find('.') + 1)]; }

double number(const Json& object, std::string_view name, double otherwise, double below = no_bound) {
  const Json json = member(object, name);
  if (json.is_missing()) return otherwise;
  const double value = json.is_number() ? json.get_number() : -1;
  if (value >= 0 && value < below) return value;
  refuse(name, json, below == no_bound ? "a number of at least 0" : webformer::format("a number from 0 to less than {}", below));
}

std::optional<std::int64_t> count(const Json& object, std::string_view name, std::int64_t least) {
  const Json json = member(object, name);
  if (json.is_missing()) return std::nullopt;
  const double value = json.is_number() ? json.get_number() : -1;
  if (value == std::floor(value) && value >= double(least) && value < 0x1p53) return std::int64_t(value);
  refuse(name, json, webformer::format("a whole number of at least {}", least));
}

bool flag(const Json& object, std::string_view name, bool otherwise) {
  const Json json = member(object, name);
  if (!json.is_missing() && !json.is_bool()) refuse(name, json, "true or false");
  return json.is_missing() ? otherwise : json.get_bool();
}

std::string text(const Json& object, std::string_view name) {
  const Json json = member(object, name);
  if (!json.is_missing() && !json.is_string()) refuse(name, json, "a text");
  return json.is_missing() ? std::string() : std::string(json.get_string());
}

/// The place of the value among the names, 0 where it is missing.
std::size_t choice(const Json& object, std::string_view name, std::initializer_list<std::string_view> names) {
  const Json json = member(object, name);
  if (json.is_missing()) return 0;
  const auto* found = json.is_string() ? std::ranges::find(names, json.get_string()) : names.end();
  if (found != names.end()) return std::size_t(found - names.begin());
  refuse(name, json, "one of " + join(names));
}

std::vector<std::string> texts(const Json& object, std::string_view name) {
  const Json json = member(object, name);
  if (json.is_missing()) return {};
  if (!json.is_array()) refuse(name, json, "a list of texts");
  std::vector<std::string> list;
  for (const Json& item : json.items()) {
    if (!item.is_string()) refuse(name, item, "a text");
    list.emplace_back(item.get_string());
  }
  return list;
}

Ids ids(const Json& list) {
  Ids result;
  for (const Json& id : list.items()) result.push_back(std::int32_t(id.get_integer()));
  return result;
}

std::optional<Surroundings> surroundings(const Json& object, std::string_view name) {
  const Json json = member(object, name);
  if (json.is_missing()) return std::nullopt;
  const std::vector<Json> sides = json.items();
  if (sides.size() != 2) refuse(name, json, "ids before, and ids after");
  return Surroundings{ids(sides[0]), ids(sides[1])};
}

OptimizerConfig read_optimizer(const Json& json) {
  OptimizerConfig c;
  constexpr std::array kinds{OptimizerKind::adamw, OptimizerKind::adam, OptimizerKind::sgd};
  c.kind = kinds[choice(json, "optimizer.kind", {"adamw", "adam", "sgd"})];
  c.momentum = float(number(json, "optimizer.momentum", 0, 1));
  c.beta1 = float(number(json, "optimizer.beta1", 0.9, 1));
  c.beta2 = float(number(json, "optimizer.beta2", 0.999, 1));
  c.epsilon = float(number(json, "optimizer.epsilon", 1e-8));
  c.weight_decay = float(number(json, "optimizer.weightDecay", 0));
  c.clip = float(number(json, "optimizer.clip", 0));
  return c;
}

RateSchedule read_schedule(const Json& json, double peak, std::int64_t width) {
  constexpr std::array kinds{RateKind::constant, RateKind::linear, RateKind::cosine, RateKind::noam};
  return {.kind = kinds[choice(json, "schedule.kind", {"constant", "linear", "cosine", "noam"})],
          .peak = peak,
          .warmup = count(json, "schedule.warmup", 0).value_or(0),
          .width = width};
}

TrainerConfig read_trainer(const Json& json, const ModelConfig& model) {
  TrainerConfig c;
  c.optimizer = read_optimizer(json["optimizer"]);
  c.schedule = read_schedule(json["schedule"], number(json["optimizer"], "optimizer.learningRate", 1e-3), model.top().width);
  const float dropout = float(number(json, "dropout", 0, 1));
  // Inside of a feed-forward only PyTorch's own layers drop something.
  c.dropout = {.embedding = dropout,
               .residual = dropout,
               .attention = dropout,
               .activation = model.model_type == "transformer" ? dropout : 0,
               .head = dropout};
  c.label_smoothing = float(number(json, "labelSmoothing", 0, 1));
  c.seed = std::uint64_t(count(json, "seed", 0).value_or(0));
  c.frozen = texts(json, "freeze");
  return c;
}

BatchOptions read_batches(const Json& json) {
  const auto size = count(json, "batchSize", 1), tokens = count(json, "batchTokens", 1);
  if (size && tokens)
    throw Error(Code::invalid_argument, "batchSize and batchTokens: both found, one expected").with("option", "batchTokens");
  BatchOptions batches{.tokens = tokens.value_or(0),
                       .shuffle = flag(json, "shuffle", !flag(json, "streamed", false)),
                       .seed = std::uint64_t(count(json, "seed", 0).value_or(0))};
  if (size) batches.size = *size;
  return batches;
}

std::optional<TrainingTask> read_task(const Json& json, std::string_view name) {
  const std::string task = text(json, name);
  return task.empty() || task == "batches" ? std::nullopt : std::optional(training_task(task));
}

}  // namespace

TrainingOptions read_training_options(const Json& json, const ModelConfig& model) {
  TrainingOptions options{.task = read_task(json, "task"), .validation = read_task(json, "validationTask"), .batches = read_batches(json)};
  options.run = {.trainer = read_trainer(json, model),
                 .steps = count(json, "steps", 1),
                 .epochs = count(json, "epochs", 1),
                 .accumulate = count(json, "accumulate", 1).value_or(1),
                 .streamed = flag(json, "streamed", false)};
  if (options.run.streamed && options.batches.shuffle)
    throw Error(Code::invalid_argument, "shuffle: rows that come as a stream cannot be shuffled").with("option", "shuffle");
  options.objective = {.whole_words = flag(json, "wholeWords", false),
                       .prefix = text(json, "prefix"),
                       .source = surroundings(json, "sourceAround"),
                       .target = surroundings(json, "targetAround")};
  if (json.has("lora")) {
    options.lora.emplace();
    const auto rank = count(json["lora"], "lora.rank", 1);
    if (!rank) throw Error(Code::invalid_argument, "lora.rank: missing").with("option", "lora");
    options.lora->rank = *rank;
    options.lora->alpha = number(json["lora"], "lora.alpha", double(*rank));
    options.lora->targets = texts(json["lora"], "lora.targets");
  }
  if (!options.task && (json.has("batchSize") || json.has("batchTokens"))) {
    throw Error(Code::invalid_argument, "train: each row of task 'batches' is a batch, so that there is no batchSize or batchTokens")
        .with("option", "batchSize");
  }
  return options;
}

}  // namespace webformer
