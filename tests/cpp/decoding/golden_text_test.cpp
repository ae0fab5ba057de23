// golden/tasks: texts that transformers generates, stop strings included, by tiny checkpoints with real tokenizers.

#include "support/golden.h"

#ifdef WEBFORMER_SHARED_DIR

#include <doctest/doctest.h>

#include "table_model.h"

using namespace webformer;

namespace {

void check_folder(const std::string& name) {
  CAPTURE(name);
  const std::string folder = "golden/tasks/" + name;
  const JsonDocument golden = golden::read_json(folder + "/golden.json"), settings = golden::read_json(folder + "/generation_config.json");
  const Tokenizer tokenizer = golden::load_tokenizer(folder);
  Session session(golden::load_model(folder));
  int compared = 0;
  for (const Json& item : golden.root()["cases"].items()) {
    const Json prompt = item["output"]["promptIds"];
    if (item["task"].get_string() != "generate" && item["task"].get_string() != "chat") continue;
    if (prompt.is_null() || prompt.items().empty() || !prompt.items()[0].is_number()) continue;
    const std::string label(item["name"].get_string());
    CAPTURE(label);
    GenerationRequest request;
    for (const Json& id : prompt.items()) request.prompts.resize(1), request.prompts[0].push_back(std::int32_t(id.get_integer()));
    request.config = read_generation_config(settings.root(), Json());
    apply_options(request.config, item["options"]);
    const Generated made = run_generation(session, request, &tokenizer);
    CHECK(made.result.texts[0] == item["output"]["text"].get_string());
    std::string joined;
    for (const GenerationItem& piece : made.items) joined += piece.text;
    CHECK(joined == made.result.texts[0]);
    ++compared;
  }
  CHECK(compared > 5);
}

}  // namespace

TEST_CASE("a LLaMA with a byte-level tokenizer writes the texts of transformers") { check_folder("chat-llama"); }
TEST_CASE("a Qwen 2 with a byte-level tokenizer writes the texts of transformers") { check_folder("chat-qwen2"); }
TEST_CASE("a GPT-2 writes the texts of transformers") { check_folder("generate-gpt2"); }

#endif
