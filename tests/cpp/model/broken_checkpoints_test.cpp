// A checkpoint of every family with one of its tensors missing, transposed, not finite, or one too many: the error or the warning names it.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>

#include "support/gguf_models.h"
#include "support/golden.h"
#include "support/variants.h"

using namespace webformer;
using namespace webformer::test;

namespace {

using Tensors = std::vector<NamedTensor>;
using Load = std::function<std::shared_ptr<const Model>(const Tensors&)>;

/// "code: message", or "ok".
std::string verdict(const Load& load, const Tensors& tensors) {
  try {
    load(tensors);
    return "ok";
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.message();
  }
}

/// Norms of old BERTs have gamma and beta.
std::string todays_name(std::string tensor) {
  if (tensor.ends_with(".gamma")) return tensor.replace(tensor.size() - 5, 5, "weight");
  if (tensor.ends_with(".beta")) return tensor.replace(tensor.size() - 4, 4, "bias");
  return tensor;
}

/// Breaks each tensor in turn. `spare` are those that the model does without.
void break_each(const Load& load, const Tensors& whole, const std::vector<std::string>& spare) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::string& tensor = whole[i].name;
    const Shape shape = whole[i].values.shape;
    CAPTURE(tensor);

    Tensors broken = whole;
    broken.erase(broken.begin() + std::ptrdiff_t(i));
    const std::string missing = verdict(load, broken);
    if (std::ranges::find(spare, tensor) != spare.end()) {
      CHECK(missing == "ok");
      continue;
    }
    CAPTURE(missing);
    CHECK(missing.starts_with("weight_missing: 1 of the tensors that config.json asks for are not in the file: "));
    CHECK((missing.find(tensor) != std::string::npos || missing.find(todays_name(tensor)) != std::string::npos));

    broken = whole;
    broken[i].values.data.back() = i % 2 ? std::numeric_limits<float>::quiet_NaN() : -std::numeric_limits<float>::infinity();
    CHECK(verdict(load, broken) == "numeric_error: " + tensor + ": a number of it is NaN or infinite");

    if (shape.rank() != 2 || shape[0] == shape[1] || shape[0] == 1) continue;
    broken = whole;
    broken[i].values.shape = Shape{shape[1], shape[0]};
    const std::string said =
        webformer::format("{}: shape {} in the file, {} expected from config.json", tensor, broken[i].values.shape, shape);
    CHECK(verdict(load, broken) == "weight_mismatch: " + said);
  }
  Tensors more = whole;
  more.push_back({"one.too.many", Array(Shape{2, 2})});
  CHECK(load(more)->unused_weights == std::vector<std::string>{"one.too.many"});
}

}  // namespace

TEST_CASE("a broken checkpoint of any family is named by its tensor and both shapes") {
  int families = 0;
  for_each_variant([&](const Variant& variant) {
    if (!variant.name.ends_with(": plain")) return;
    CAPTURE(variant.name);
    break_each([&](const Tensors& tensors) { return load_model(variant.config(), tensors); }, variant.weights(), {});
    ++families;
  });
  CHECK(families >= 30);
}

TEST_CASE("a broken checkpoint in GGUF is named by its tensor and both shapes") {
  for (const char* name : {"llama", "qwen2", "qwen3", "gemma", "gemma2", "phi3"}) {
    CAPTURE(std::string(name));
    const GgufModel model = read_gguf_model(name);
    // The metadata do not say whether the head is tied: a file without it is one whose head is.
    break_each([&](const Tensors& tensors) { return model.load(tensors); }, model.tensors, {"output.weight"});
  }
}

#ifdef WEBFORMER_SHARED_DIR

namespace {

/// Of golden folders: what is stored beside what the model reads, or may be left out because it is tied.
const std::map<std::string, std::vector<std::string>> spare_tensors{
    {"bert-legacy-names",
     {"bert.embeddings.position_ids", "cls.predictions.decoder.weight", "cls.predictions.decoder.bias", "cls.predictions.bias"}},
    {"gpt2-bare-names", {"h.0.attn.bias", "h.1.attn.bias"}},
    {"pegasus", {"model.decoder.embed_positions.weight", "model.encoder.embed_positions.weight"}},
    {"t5-gated", {"lm_head.weight"}}};

}  // namespace

TEST_CASE("a broken golden checkpoint is named by its tensor and both shapes") {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WEBFORMER_SHARED_DIR) / "golden/models")) {
    const std::string name = entry.path().filename().string(), folder = "golden/models/" + name;
    if (!golden::exists(folder + "/model.safetensors")) continue;
    CAPTURE(name);
    const std::string config = golden::read_json(folder + "/config.json").root().to_json();
    Tensors tensors;
    for (const auto& [tensor, stored] : golden::read_safetensors(folder + "/model.safetensors"))
      tensors.push_back({tensor, Array(stored.shape, std::vector<float>(stored.data.begin(), stored.data.end()))});
    const auto spare = spare_tensors.find(name);
    break_each([&](const Tensors& some) { return load_model(config, some); }, tensors,
               spare == spare_tensors.end() ? std::vector<std::string>{} : spare->second);
    ++models;
  }
  CHECK(models >= 30);
}

#endif
