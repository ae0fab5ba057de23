#include "wasm/tokenizer_trainer.h"

#include <utility>

#include "core/error.h"
#include "formats/tokenizer_json.h"
#include "text/text.h"
#include "wasm/encode_options.h"
#include "wasm/guard.h"
#include "wasm/job.h"
#include "wasm/tokenizer_handle.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

std::vector<std::string> read_texts(const Json& json) {
  std::vector<std::string> texts;
  for (const Json& item : json.items()) texts.emplace_back(item.get_string());
  return texts;
}

TrainerOptions read_options(const Json& json) {
  const auto text = [&](std::string_view name) {
    return json.has(name) ? std::optional(std::string(json[name].get_string())) : std::nullopt;
  };
  const auto size = [&](std::string_view name) { return json.has(name) ? std::optional(read_size(json, name, 0)) : std::nullopt; };
  TrainerOptions options;
  options.vocab_size = read_size(json, "vocabSize", 0);
  options.min_frequency = read_size(json, "minFrequency", 0);
  if (json.has("specialTokens")) options.special_tokens = read_texts(json["specialTokens"]);
  if (json.has("initialAlphabet")) options.initial_alphabet = read_texts(json["initialAlphabet"]);
  options.unknown_token = text("unknownToken");
  options.limit_alphabet = size("limitAlphabet");
  options.max_token_length = size("maxTokenLength");
  options.end_of_word_suffix = text("endOfWordSuffix");
  options.continuing_prefix = text("continuingPrefix");
  // null is no stage at all, as in the file.
  if (const Json stages = json["normalizer"]; !stages.is_missing()) read_normalizers(stages, options.normalizers.emplace());
  if (const Json stages = json["preTokenizer"]; !stages.is_missing()) read_pre_tokenizers(stages, options.pre_tokenizers.emplace());
  return options;
}

std::shared_ptr<TokenizerTrainer> make_trainer(std::string_view kind_name, std::string_view options) {
  const auto kind = trainer_kind_of(kind_name);
  if (!kind) throw Error(Code::internal_error, "trainTokenizer: no kind {}", kind_name);
  return std::make_shared<TokenizerTrainer>(*kind, read_options(JsonDocument::parse(options, "trainTokenizer").root()));
}

class TokenizerTrainingJob : public JobHandle {
 public:
  explicit TokenizerTrainingJob(std::shared_ptr<TokenizerTrainer> trainer)
      : trainer_(std::move(trainer)), job_(schedule_, trainer_->train(schedule_)) {}

 private:
  bool work(Schedule::Clock::duration budget) override { return job_.step(budget); }
  void add_news(val& state) override {
    const auto [done, total] = trainer_->progress();
    val progress = val::object();
    progress.set("done", double(done));
    progress.set("total", double(total));
    state.set("progress", progress);
  }
  val take() override { return val(std::make_shared<TokenizerHandle>(std::make_shared<Tokenizer>(Tokenizer::compile(job_.take())))); }

  std::shared_ptr<TokenizerTrainer> trainer_;
  Schedule schedule_;
  Job<TokenizerSpec> job_;
};

}  // namespace

val TokenizerTrainerHandle::feed(val lengths) {
  return guarded([&] {
    for (const std::string_view text : Staging::texts(lengths)) trainer_->feed(text);
    return val::undefined();
  });
}

val TokenizerTrainerHandle::train() {
  return guarded([&] {
    Staging::shrink();
    return val(std::static_pointer_cast<JobHandle>(std::make_shared<TokenizerTrainingJob>(trainer_)));
  });
}

val start_tokenizer_training(std::string kind, std::string options) {
  return guarded([&] { return val(std::make_shared<TokenizerTrainerHandle>(make_trainer(kind, options))); });
}

}  // namespace webformer
