#include "native/progress.h"

#include <unistd.h>

#include <cstdio>

namespace webformer {

namespace {

constexpr int bar_width = 24;
/// Between two lines, where they stay.
constexpr std::chrono::seconds line_pause{10};
constexpr std::chrono::milliseconds bar_pause{100};

std::string printed(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

/// "1:02:03", "02:03"
std::string time_text(double seconds) {
  const auto whole = std::int64_t(seconds + 0.5);
  char text[64];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", static_cast<long long>(whole / 3600), static_cast<long long>(whole / 60 % 60),
                  static_cast<long long>(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%02lld:%02lld", static_cast<long long>(whole / 60), static_cast<long long>(whole % 60));
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine(std::int64_t made, std::int64_t total) : made_(made), total_(total), is_terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const RunStep& step, double tokens_per_second, const std::optional<Evaluated>& validated) {
  if (validated) {
    validation_ = ", validation " + printed("%.4f", validated->loss);
    if (validated->accuracy) validation_ += printed(" (%.1f %%)", 100 * *validated->accuracy);
  }
  const Clock::time_point now = Clock::now();
  const bool is_last = step.step == total_;
  if (!is_last && !validated && now - shown_ < (is_terminal_ ? Clock::duration(bar_pause) : Clock::duration(line_pause))) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left = seconds / double(step.step - made_) * double(total_ - step.step);
  const std::string text = std::to_string(step.step) + "/" + std::to_string(total_) + " loss " + printed("%.4f", step.loss) + validation_ +
                           printed(", %.0f tokens/s, ", tokens_per_second) + time_text(seconds) + " + " + time_text(left);
  if (is_terminal_) {
    const int filled = int(bar_width * step.step / total_);
    const std::string bar = std::string(std::size_t(filled), '#') + std::string(std::size_t(bar_width - filled), '.');
    std::fprintf(stderr, "\r\x1b[K[%s] %s", bar.c_str(), text.c_str());
    open_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
}

void ProgressLine::end() {
  if (open_) std::fprintf(stderr, "\n");
  open_ = false;
}

}  // namespace webformer
