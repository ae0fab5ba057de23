#pragma once
// tests/fixtures/variants: tiny checkpoints with flags of config.json turned, without their weights, which are made from their names.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json.h"
#include "support/named_tensors.h"

namespace webformer::test {

struct Variant {
  std::string name;  ///< "family: what differs"
  Json own, plain;   ///< of its file, as make_variants.py wrote them (patch): what differs from the family's plain one, and that

  Json operator[](std::string_view part) const { return own.has(part) ? own[part] : plain[part]; }
  std::string config() const;  ///< config.json
  /// As make_variants.py made them (weights_of).
  std::vector<NamedTensor> weights() const;
};

void for_each_variant(const std::function<void(const Variant&)>& use);

}  // namespace webformer::test
