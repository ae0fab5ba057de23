#pragma once
// What a model is trained for: how a row of data becomes examples, and what of an example is to be learned.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "kernels/cross_entropy.h"
#include "model/config.h"
#include "text/text.h"
#include "training/denoising.h"
#include "training/row.h"

namespace webformer {

enum class TrainingTask {
  text_classification,
  token_classification,
  question_answering,
  translation,
  text_generation,
  masked_lm,
  denoising,
  span_corruption,
  masked_lm_next_sentence,
};

/// Throws invalid_argument for a name that no task has; "text-classification" and so on.
TrainingTask training_task(std::string_view name);

/// Ids that stand before and after a text, such as the code of its language.
struct Surroundings {
  Ids before, after;
};

struct ObjectiveOptions {
  bool whole_words = false;                    ///< masked LM: all tokens of a word, or none
  std::string prefix;                          ///< before a source text (T5)
  std::optional<Surroundings> source, target;  ///< translation: in the place of the tokenizer's template
};

/// A sequence and what is learned of it.
struct Example {
  Ids ids;
  Ids types;   ///< segments; empty: all 0
  Ids words;   ///< the word of each token, -1 for special tokens: what masks are chosen by. Empty where nothing is masked
  Ids labels;  ///< a label, or one for each id, or what the decoder is to say; empty: none
  std::int32_t next_sentence = ignored_label;
  std::int32_t start = ignored_label, end = ignored_label;  ///< tokens of an answer, both included
  std::string first, second;                                ///< a pair of sentences, whose second may be exchanged

  /// Tokens that the model reads.
  std::int64_t size() const noexcept { return std::int64_t(ids.size()); }
};

/// What rows are read and examples are drawn with.
struct ObjectiveContext {
  ModelConfig model;
  std::shared_ptr<const Tokenizer> source, target;  ///< may be one
  ObjectiveOptions options;
  std::int64_t longest = 0;  ///< tokens of a sequence
  std::int32_t end = -1;     ///< the end of a text; -1: none
};

struct ObjectiveRow;

/// An objective for one model.
class Objective {
 public:
  /// Throws invalid_argument where the model, or its tokenizer, is not one for the task.
  Objective(TrainingTask task, const ModelConfig& model, std::shared_ptr<const Tokenizer> source, std::shared_ptr<const Tokenizer> target,
            ObjectiveOptions options = {});

  /// A row becomes no example where there is nothing to learn from it, and several where it is too long for the model.
  /// Throws invalid_argument for a row that is not as the task has it.
  std::vector<Example> read(const Row& row) const;
  /// What is learned of it this time: noise is drawn. `other`: any other example of the data, whose sentence may take the place of the
  /// second one; null: none.
  Example draw(const Example& example, const Example* other, Random& random) const;
  TrainingTask task() const noexcept { return task_; }

 private:
  TrainingTask task_;
  const ObjectiveRow* row_;
  ObjectiveContext context_;
};

}  // namespace webformer
