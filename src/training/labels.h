#pragma once
// Which labels of a batch count.

#include "model/forward.h"

namespace webformer {

/// How many labels the loss of these inputs is a mean over; rows, where they have one label each.
std::int64_t count_labels(const Model& model, const ForwardInputs& inputs);

/// How many pairs of sentences have a label that counts.
std::int64_t count_sentences(const ForwardInputs& inputs);

/// How many labels are the likeliest by what the model made of the inputs; none, where they are no choice among several. Vocabulary logits
/// are those of ForwardOptions::Logits::labelled.
std::optional<std::int64_t> count_right(const Model& model, const ForwardInputs& inputs, const ModelOutput& output);

}  // namespace webformer
