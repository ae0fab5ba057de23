#pragma once
// A new head on a base model: what fine-tuning begins with where the labels are others.

#include <string>
#include <vector>

#include "formats/json.h"

namespace webformer {

struct NewHead {
  std::string task;                 ///< "text-classification", "token-classification" or "question-answering"
  std::vector<std::string> labels;  ///< of the former two
};

/// config.json with transformers' class of the task, such as BertForSequenceClassification, in the place of the one it names, and the
/// labels. Throws invalid_argument for another task and for labels that are too few, twice there, or too much for the task, and
/// unsupported_model where config.json names no class.
std::string with_new_head(const Json& config, const NewHead& head);

}  // namespace webformer
