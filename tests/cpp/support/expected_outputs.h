#pragma once
// What transformers computed from a model, in the JSON of golden.json, held against what the model gives here.

#include <string>
#include <vector>

#include "formats/json.h"
#include "model/forward.h"

namespace webformer::test {

/// A forward pass over inputs and labels (null: none). What is wrong about its outputs, one text each. `tolerance` is relative to
/// max(1, the largest number of an output); golden/README.md has 1e-4.
std::vector<std::string> wrong_outputs(const Model& model, const Json& inputs, const Json& labels, const Json& outputs,
                                       double tolerance = 1e-4);

}  // namespace webformer::test
