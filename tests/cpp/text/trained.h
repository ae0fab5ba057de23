#pragma once
// Training a tokenizer from texts at hand, for the tests of the trainers.

#include <string>
#include <vector>

#include "core/task.h"
#include "text/text.h"
#include "text/training/trainers.h"

namespace webformer::fixtures {

inline TokenizerSpec learn(TrainerKind kind, TrainerOptions options, const std::vector<std::string>& texts) {
  TokenizerTrainer trainer(kind, std::move(options));
  for (const std::string& text : texts) trainer.feed(text);
  Schedule schedule;
  return Job(schedule, trainer.train(schedule)).finish();
}

inline Tokenizer train(TrainerKind kind, TrainerOptions options, const std::vector<std::string>& texts) {
  return Tokenizer::compile(learn(kind, std::move(options), texts));
}

/// Every token, in the order of the ids.
inline std::vector<std::string> vocabulary(const Tokenizer& tokenizer) {
  std::vector<std::string> tokens;
  for (std::int32_t id = 0; tokenizer.has_token(id); ++id) tokens.emplace_back(tokenizer.token_of(id));
  return tokens;
}

}  // namespace webformer::fixtures
