#include "native/train_options.h"

#include <cstdlib>

#include "formats/json_writer.h"

namespace webformer {

namespace {

using enum OptionKind;

constexpr OptionSpec data_options[] = {
    {"task", text, "NAME", "what to learn: text-classification, token-classification, question-answering, translation, text-generation, "
                           "masked-lm, masked-lm-next-sentence, denoising, span-corruption"},
    {"data", texts, "FILE", "rows to learn from, .jsonl, .tsv or .txt; may be given again"},
    {"validation", texts, "FILE", "rows to compare with; may be given again"},
    {"prefix", text, "TEXT", "translation: put before each source text (T5)"},
    {"whole-words", flag, "", "masked-lm: all tokens of a word are masked, or none"},
};

constexpr OptionSpec run_options[] = {
    {"out", text, "DIR", "where the model, the checkpoint and the loss curve are written"},
    {"steps", number, "N", "how many steps"},
    {"epochs", number, "N", "or how often to go over the data (1)"},
    {"batch-size", number, "N", "examples of a batch (8)"},
    {"batch-tokens", number, "N", "or tokens of a batch at most, made of examples of like length"},
    {"accumulate", number, "N", "batches of a step (1)"},
    {"dropout", number, "P", "the share that is dropped (0)"},
    {"label-smoothing", number, "P", "the share of the loss that all labels have (0)"},
    {"seed", number, "N", "of the order, of noise and of dropout (0)"},
    {"threads", number, "N", "that share a batch; as many make the same model again (all cores)"},
    {"no-shuffle", flag, "", "keep the order of the rows"},
    {"checkpoint-every", number, "N", "steps between two checkpoints (100)"},
    {"resume", flag, "", "go on from the checkpoint in --out, if there is one"},
    {"validate-every", number, "N", "steps between two validations (at the end of each epoch)"},
    {"early-stop", number, "N", "end after so many validations without a better one"},
};

constexpr OptionSpec optimizer_options[] = {
    {"optimizer", text, "KIND", "adamw, adam or sgd (adamw)"},
    {"learning-rate", number, "RATE", "(0.001)"},
    {"schedule", text, "KIND", "constant, linear, cosine or noam (constant)"},
    {"warmup", number, "N", "steps until the rate is reached (0)"},
    {"weight-decay", number, "X", "(0)"},
    {"clip", number, "X", "the largest norm of a gradient (any)"},
    {"momentum", number, "X", "of sgd (0)"},
    {"beta1", number, "X", "(0.9)"},
    {"beta2", number, "X", "(0.999)"},
    {"epsilon", number, "X", "(1e-8)"},
};

constexpr OptionSpec model_options[] = {
    {"fresh", flag, "", "begin with random weights; MODEL needs config.json and the tokenizer's files only"},
    {"label", texts, "NAME", "a label of a new head, in the place of the one the model has or lacks; given for each"},
    {"new-head", flag, "", "a new head for question-answering, which has no labels"},
    {"dtype", text, "TYPE", "how weights are kept: f32, f16, int8 or int4 (as stored); what is learned becomes f32"},
    {"freeze", texts, "NAME", "weights whose name begins so stay as they are; may be given again"},
    {"lora-rank", number, "R", "learn an adapter of this rank, and save it alone"},
    {"lora-alpha", number, "X", "its changes are multiplied by X / R (R)"},
    {"lora-target", texts, "NAME", "modules that it changes: q_proj; may be given again (those of queries and values)"},
    {"merge", flag, "", "save the model with the adapter's changes"},
    {"save-dtype", text, "TYPE", "of the weights in the file: f32 or f16 (f32)"},
};

constexpr OptionSpec other_options[] = {{"help", flag, "", "this text"}};

constexpr OptionGroup groups[] = {
    {"Data", data_options}, {"Run", run_options}, {"Optimizer", optimizer_options}, {"Model", model_options}, {"Other", other_options},
};

/// Members of one JSON object, from options that were given.
class Members {
 public:
  Members(const Arguments& arguments, JsonWriter& json) : arguments_(arguments), json_(json) {}

  void numbers(std::initializer_list<std::pair<const char*, const char*>> pairs) {
    for (const auto& [option, name] : pairs)
      if (arguments_.has(option)) json_.member(name, std::strtod(arguments_.text(option).c_str(), nullptr));
  }
  void texts(std::initializer_list<std::pair<const char*, const char*>> pairs) {
    for (const auto& [option, name] : pairs)
      if (arguments_.has(option)) json_.member(name, std::string_view(arguments_.text(option)));
  }
  void list(const char* option, const char* name) {
    const auto found = arguments_.values.find(option);
    if (found == arguments_.values.end()) return;
    json_.key(name);
    json_.begin_array();
    for (const std::string& value : found->second) json_.value(std::string_view(value));
    json_.end();
  }

 private:
  const Arguments& arguments_;
  JsonWriter& json_;
};

}  // namespace

std::span<const OptionGroup> train_options() { return groups; }

std::string training_json(const Arguments& arguments) {
  JsonWriter json;
  Members members(arguments, json);
  json.begin_object();
  members.texts({{"task", "task"}, {"prefix", "prefix"}});
  members.numbers({{"steps", "steps"},
                   {"epochs", "epochs"},
                   {"batch-size", "batchSize"},
                   {"batch-tokens", "batchTokens"},
                   {"accumulate", "accumulate"},
                   {"dropout", "dropout"},
                   {"label-smoothing", "labelSmoothing"},
                   {"seed", "seed"}});
  if (arguments.has("no-shuffle")) json.member("shuffle", false);
  if (arguments.has("whole-words")) json.member("wholeWords", true);
  members.list("freeze", "freeze");
  json.key("optimizer");
  json.begin_object();
  members.texts({{"optimizer", "kind"}});
  members.numbers({{"learning-rate", "learningRate"},
                   {"weight-decay", "weightDecay"},
                   {"clip", "clip"},
                   {"momentum", "momentum"},
                   {"beta1", "beta1"},
                   {"beta2", "beta2"},
                   {"epsilon", "epsilon"}});
  json.end();
  json.key("schedule");
  json.begin_object();
  members.texts({{"schedule", "kind"}});
  members.numbers({{"warmup", "warmup"}});
  json.end();
  if (arguments.has("lora-rank")) {
    json.key("lora");
    json.begin_object();
    members.numbers({{"lora-rank", "rank"}, {"lora-alpha", "alpha"}});
    members.list("lora-target", "targets");
    json.end();
  }
  json.end();
  return std::move(json).text();
}

}  // namespace webformer
