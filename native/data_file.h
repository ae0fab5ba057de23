#pragma once
// Rows of training data in files.

#include <filesystem>

#include "training/training_set.h"

namespace webformer {

/// Adds the rows of a file: .jsonl, a row in JSON a line; .tsv, with the names of the columns in the first line; .txt, a text a line.
/// Empty lines are skipped. Throws invalid_argument for another kind of file, and for a row, by its line, that is not as the task has it.
void add_rows(const std::filesystem::path& path, TrainingSet& data);

}  // namespace webformer
