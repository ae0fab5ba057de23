#pragma once
// How each objective reads rows and draws examples.

#include "training/objective.h"

namespace webformer {

/// A text as the model reads it, in as many parts as the truncation makes of it.
std::vector<Encoding> encode_parts(const Tokenizer& tokenizer, const EncodeOptions& options, std::string_view text);
/// The truncation to what the model takes.
Truncation fitting(const ObjectiveContext& context);
/// The segments, where not all are 0.
Ids types_of(const Encoding& encoding);

// labelling.cpp
std::vector<Example> read_labelled(const Row& row, const ObjectiveContext& context);
std::vector<Example> read_tagged(const Row& row, const ObjectiveContext& context);
std::vector<Example> read_answered(const Row& row, const ObjectiveContext& context);

// generating.cpp
std::vector<Example> read_continued(const Row& row, const ObjectiveContext& context);
std::vector<Example> read_translated(const Row& row, const ObjectiveContext& context);

// pretraining.cpp
std::vector<Example> read_text(const Row& row, const ObjectiveContext& context);
std::vector<Example> read_pair(const Row& row, const ObjectiveContext& context);
std::vector<Example> read_plain(const Row& row, const ObjectiveContext& context);
Example draw_masked(const Example& example, const Example* other, const ObjectiveContext& context, Random& random);
Example draw_pair(const Example& example, const Example* other, const ObjectiveContext& context, Random& random);
Example draw_noised(const Example& example, const Example* other, const ObjectiveContext& context, Random& random);
Example draw_corrupted(const Example& example, const Example* other, const ObjectiveContext& context, Random& random);
/// Throw invalid_argument where the tokenizer lacks a token that the objective writes.
void need_mask(const ObjectiveContext& context);
void need_sentinels(const ObjectiveContext& context);

}  // namespace webformer
