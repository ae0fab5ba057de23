#include "wasm/model_saver.h"

#include "wasm/guard.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

val ModelSaver::header() {
  return guarded([&] { return bytes_to_js(writer_.header()); });
}

val ModelSaver::next() {
  return guarded([&] {
    if (writer_.done()) return val::null();
    const std::vector<std::byte> bytes = writer_.next();
    return bytes_to_js({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
}

}  // namespace webformer
