#pragma once
// Golden files of the shared folder, where the build knows it.

#ifdef WEBFORMER_SHARED_DIR

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/json.h"
#include "model/model.h"
#include "text/text.h"

namespace webformer::golden {

/// `path` is below the shared folder.
JsonDocument read_json(const std::string& path);
bool exists(const std::string& path);

struct Tensor {
  Shape shape;
  std::vector<double> data;
};
std::map<std::string, Tensor> read_safetensors(const std::string& path);

/// A folder with config.json and one model.safetensors.
std::shared_ptr<const Model> load_model(const std::string& folder);
/// Of a folder with tokenizer.json and tokenizer_config.json.
Tokenizer load_tokenizer(const std::string& folder);

}  // namespace webformer::golden

#endif
