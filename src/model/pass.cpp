#include "model/pass.h"

#include <string>

namespace webformer {

void Pass::show(std::string_view place, std::string_view what, ConstMatrix x) const {
  if (!watched()) return;
  const std::string name = std::string(place) + "." + std::string(what);
  if (!observer->wants(name)) return;
  if (x.stride != x.cols) throw Error(Code::internal_error, "trace {}: rows are {} floats apart, {} expected", name, x.stride, x.cols);
  observer->see(name, -1, Shape{x.rows, x.cols}, x.data);
}

}  // namespace webformer
