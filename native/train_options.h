#pragma once
// The options of webformer-train.

#include <array>
#include <span>
#include <string>

#include "native/arguments.h"

namespace webformer {

std::span<const OptionGroup> train_options();

/// What of them read_training_options() reads, as JSON.
std::string training_json(const Arguments& arguments);

}  // namespace webformer
