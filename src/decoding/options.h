#pragma once
// Where a GenerationConfig comes from: the checkpoint's files, and the caller's options on top of them.

#include "decoding/config.h"
#include "formats/json.h"

namespace webformer {

/// The settings of a checkpoint: those of generation_config.json, or, where that is missing, the ones that older checkpoints keep in
/// config.json. Keys without effect on the result are skipped; other keys that are not built, unless null, false, empty or at their
/// neutral value, are noted in `unsupported`, which check() refuses. Throws invalid_file for a value of the wrong type.
GenerationConfig read_generation_config(const Json& generation_config_json, const Json& config_json);

/// Lays settings of a checkpoint (an entry of task_specific_params, without its `prefix`) over `config`, as above.
void apply_settings(GenerationConfig& config, const Json& settings);

/// Lays the caller's options over `config`: an object with GenerateOptions' names in camelCase or snake_case. max_length takes the place
/// of a max_new_tokens below it, min_length of a min_new_tokens. Throws invalid_argument for an unknown name, with the nearest known one,
/// and for a value of the wrong type. JSON has no NaN: it arrives as null, and null is refused.
void apply_options(GenerationConfig& config, const Json& options);

}  // namespace webformer
