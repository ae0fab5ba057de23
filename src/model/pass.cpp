#include "model/pass.h"

#include <string>

#include "kernels/elementwise.h"

namespace webformer {

void Pass::drop(Matrix x, float DropoutRates::* rate) const {
  if (tape && tape->rates.*rate > 0) dropout(x, tape->rates.*rate, tape->push_seed());
}

void Pass::show(std::string_view place, std::string_view what, ConstMatrix x) const {
  if (!watched()) return;
  const std::string name = std::string(place) + "." + std::string(what);
  if (!observer->wants(name)) return;
  if (x.stride != x.cols) throw Error(Code::internal_error, "trace {}: rows are {} floats apart, {} expected", name, x.stride, x.cols);
  observer->see(name, -1, Shape{x.rows, x.cols}, x.data);
}

}  // namespace webformer
