#pragma once
// model.generate() for JavaScript.

#include <emscripten/val.h>

#include <memory>

#include "decoding/generate.h"
#include "wasm/job.h"

namespace webformer {

/// Items come with the steps; the result is {texts, sequences, finishReason, usage, …}. The session must outlive the job; the tokenizer may
/// be null.
std::shared_ptr<JobHandle> start_generation(Session& session, std::shared_ptr<const Tokenizer> tokenizer, GenerationRequest request);

}  // namespace webformer
