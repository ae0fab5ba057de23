#include "native/curve.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/error.h"
#include "native/files.h"

namespace webformer {

namespace {

constexpr std::string_view header = "step,epoch,loss,learning_rate,gradient_norm,tokens_per_second,validation_loss,accuracy";

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

LossCurve::LossCurve(std::filesystem::path path, std::int64_t steps) : path_(std::move(path)) {
  std::string kept = std::string(header) + "\n";
  if (steps > 0 && std::filesystem::exists(path_)) {
    const std::string text = read_text(path_);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      if (end == std::string::npos) break;  // half a line
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      const std::vector<std::string_view> cells = cells_of(line);
      const long long step = std::atoll(line.c_str());
      if (step < 1 || step > steps || cells.size() != cells_of(header).size()) continue;
      kept += line + "\n";
      if (!cells[6].empty()) note(std::strtod(std::string(cells[6]).c_str(), nullptr));
    }
  }
  replace_file(path_, kept);
  file_.open(path_, std::ios::app);
  if (!file_) throw Error(Code::invalid_file, "{}: cannot be opened", path_.string());
}

void LossCurve::note(double validation_loss) { best_ = std::min(validation_loss, best_.value_or(validation_loss)); }

void LossCurve::add(const RunStep& step, double tokens_per_second, const std::optional<Evaluated>& validated) {
  file_ << step.step << ',' << step.epoch << ',' << to_text(step.loss) << ',' << to_text(step.learning_rate) << ','
        << to_text(float(step.gradient_norm)) << ',' << std::int64_t(tokens_per_second) << ',';
  if (validated) file_ << to_text(validated->loss);
  file_ << ',';
  if (validated && validated->accuracy) file_ << to_text(float(*validated->accuracy));
  file_ << std::endl;
  if (validated) note(validated->loss);
}

}  // namespace webformer
