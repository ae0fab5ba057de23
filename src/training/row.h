#pragma once
// One row of training data, as JSON. Errors are invalid_argument and name the row, the value found and what was expected.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/json.h"

namespace webformer {

struct Row {
  Json json;
  std::string name;  ///< "rows[3]", "train.jsonl:4"

  /// The row itself, where it is a text.
  std::string text() const;
  std::string text(std::string_view key) const;
  std::optional<std::string> optional_text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  /// A whole number of at least 0.
  std::int64_t count(std::string_view key) const;

 private:
  Json member(std::string_view key) const;
};

}  // namespace webformer
