#pragma once
// The options of a kind of training: which are of use, and what those mean that are not given.

#include "text/training/trainers.h"

namespace webformer {

bool is_sentencepiece(TrainerKind kind);

/// Complete options: stages, unknown token and prefix as the kind has them, and the unknown token among the special ones. Throws
/// invalid_argument for what is out of its bounds or of no use to the kind.
TrainerOptions with_defaults(TrainerKind kind, TrainerOptions options);

}  // namespace webformer
