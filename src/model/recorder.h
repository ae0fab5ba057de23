#pragma once
// Keeps what a forward pass shows: attention weights, hidden states, and whatever a trace asks for.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/pass.h"

namespace webformer {

/// Whether a name fits a pattern: * stands for anything but a dot, {a,b} for either.
bool matches(std::string_view pattern, std::string_view name) noexcept;

class Recorder : public Observer {
 public:
  explicit Recorder(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

  bool wants_nothing() const noexcept { return patterns_.empty(); }
  bool wants(std::string_view name) const override;
  void see(std::string_view name, int sequence, const Shape& shape, const float* data) override;

  /// One packed array, or one a sequence; throws internal_error for a name that was not seen.
  const std::vector<Array>& seen(const std::string& name) const;
  const std::map<std::string, std::vector<Array>>& all() const noexcept { return seen_; }

 private:
  std::vector<std::string> patterns_;
  std::map<std::string, std::vector<Array>> seen_;
};

}  // namespace webformer
