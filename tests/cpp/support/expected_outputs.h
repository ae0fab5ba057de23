#pragma once
// What transformers computed from a model, in the JSON of golden.json, held against what the model gives here.

#include <memory>
#include <string>
#include <vector>

#include "formats/json.h"
#include "model/forward.h"

namespace webformer::test {

/// A forward pass over inputs and labels (null: none). What is wrong about its outputs, one text each. `tolerance` is relative to
/// max(1, the largest number of an output); golden/README.md has 1e-4.
std::vector<std::string> wrong_outputs(const Model& model, const Json& inputs, const Json& labels, const Json& outputs,
                                       double tolerance = 1e-4);

/// As many tokens as transformers made after the first row of inputs, each the likeliest one, by steps of one token on a cache.
std::vector<std::string> wrong_tokens(std::shared_ptr<const Model> model, const Json& inputs, const Json& tokens);

}  // namespace webformer::test
