#pragma once
// Models in GGUF files: the metadata says what config.json says elsewhere, the tensors have names of llama.cpp's.

#include <string>

#include "formats/metadata.h"
#include "model/config.h"
#include "model/weight_plan.h"

namespace webformer {

/// The metadata as the config.json that Hugging Face transformers would write. Throws unsupported_model for an architecture that is not
/// read (with the list), invalid_file for a key that is missing or of the wrong type.
std::string gguf_config(const Metadata& metadata);

/// What differs from the checkpoint that the file was converted from: the order of rotated numbers, norms that have their 1 added.
void adapt_to_gguf(const Metadata& metadata, ModelConfig& config);

const WeightNames& gguf_names();

}  // namespace webformer
