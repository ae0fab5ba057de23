#pragma once
// model.forward() for JavaScript.

#include <emscripten/val.h>

#include <memory>

#include "core/workspace.h"
#include "model/forward.h"
#include "wasm/job.h"

namespace webformer {

/// {input_ids: {rows, cols, data}, …} with the names of ForwardInputs.
ForwardInputs inputs_from_js(const emscripten::val& js);

/// inputs: as above. options: {attentions, hidden_states, logits, trace}, all given. Model and workspace must outlive the job.
std::shared_ptr<JobHandle> start_forward(const Model& model, Workspace& workspace, const emscripten::val& inputs,
                                         const emscripten::val& options);

}  // namespace webformer
