// golden/models: what transformers computes from tiny checkpoints of every architecture: hidden states, logits, attentions, losses.

#include "support/golden.h"

#ifdef WEBFORMER_SHARED_DIR

#include <doctest/doctest.h>

#include <filesystem>

#include "support/expected_outputs.h"

using namespace webformer;

TEST_CASE("every golden model gives what transformers gives") {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WEBFORMER_SHARED_DIR) / "golden/models")) {
    const std::string name = entry.path().filename().string(), folder = "golden/models/" + name;
    if (!golden::exists(folder + "/model.safetensors")) continue;  // shards are read in tests/node
    CAPTURE(name);
    const auto model = golden::load_model(folder);
    CHECK(model->unused_weights.empty());
    const JsonDocument file = golden::read_json(folder + "/golden.json");
    for (const Json& item : file.root()["cases"].items()) {
      CAPTURE(item["name"].get_string());
      CHECK(test::wrong_outputs(*model, item["inputs"], item["labels"], item["outputs"]) == std::vector<std::string>{});
    }
    ++models;
  }
  CHECK(models >= 30);
}

#endif
