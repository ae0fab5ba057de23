#include "native/data_file.h"

#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/json.h"

namespace webformer {

namespace {

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char c : line) {
    if (c == '\t') columns.emplace_back();
    else columns.back() += c;
  }
  return columns;
}

std::string object_of(const std::vector<std::string>& names, const std::vector<std::string>& values, const std::string& place) {
  if (names.size() != values.size())
    throw Error(Code::invalid_argument, "{}: {} columns found, {} expected as in the first line", place, values.size(), names.size());
  JsonWriter json;
  json.begin_object();
  for (std::size_t i = 0; i < names.size(); ++i) json.member(names[i], values[i]);
  json.end();
  return std::move(json).text();
}

}  // namespace

void add_rows(const std::filesystem::path& path, TrainingSet& data) {
  const std::string kind = path.extension().string(), name = path.filename().string();
  if (kind != ".jsonl" && kind != ".tsv" && kind != ".txt")
    throw Error(Code::invalid_argument, "{}: a file .jsonl, .tsv or .txt expected", path.string());
  std::ifstream file(path);
  if (!file) throw Error(Code::invalid_argument, "{}: cannot be opened", path.string());
  std::vector<std::string> names;
  std::string line;
  for (std::int64_t number = 1; std::getline(file, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (const auto repaired = repair_utf8(line)) line = *repaired;
    const std::string place = name + ":" + std::to_string(number);
    std::string row = line;
    if (kind == ".txt") row = quote_json(line);
    if (kind == ".tsv") {
      if (names.empty()) {
        names = columns_of(line);
        continue;
      }
      row = object_of(names, columns_of(line), place);
    }
    const JsonDocument document = JsonDocument::parse(row, place);
    data.add({document.root(), place});
  }
}

}  // namespace webformer
