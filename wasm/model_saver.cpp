#include "wasm/model_saver.h"

#include "wasm/guard.h"
#include "wasm/model_handle.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

val save_model(const ModelHandle& model, std::string dtype) {
  return guarded([&] {
    if (!model.layout()) throw Error(Code::unsupported_model, "save: a model from a GGUF file cannot be saved yet");
    return val(std::make_shared<ModelSaver>(ModelWriter(model.layout(), dtype == "f16" ? DType::f16 : DType::f32, model.model()->adapter)));
  });
}

ModelSaver::ModelSaver(ModelWriter writer) : writer_(std::move(writer)) {}

double ModelSaver::size() const { return double(writer_.bytes()); }

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
