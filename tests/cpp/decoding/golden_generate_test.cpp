// golden/models: what transformers generates from tiny checkpoints, greedily and with beams.

#include "support/golden.h"

#ifdef WEBFORMER_SHARED_DIR

#include <doctest/doctest.h>

#include <algorithm>

#include "support.h"
#include "table_model.h"

using namespace webformer;

namespace {

using Ids = std::vector<std::int32_t>;

Ids ids_of(const Json& list) {
  Ids ids;
  for (const Json& id : list.items()) ids.push_back(std::int32_t(id.get_integer()));
  return ids;
}

/// Rows of ids, without those that the mask hides.
std::vector<Ids> unmasked(const Json& rows, const Json& mask) {
  std::vector<Ids> result;
  for (std::size_t r = 0; r < rows.items().size(); ++r) {
    const Ids all = ids_of(rows.items()[r]);
    const Ids visible = mask.is_null() ? Ids(all.size(), 1) : ids_of(mask.items()[r]);
    Ids& row = result.emplace_back();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (visible[i]) row.push_back(all[i]);
    }
  }
  return result;
}

void check_folder(const std::string& name) {
  CAPTURE(name);
  const std::string folder = "golden/models/" + name;
  const JsonDocument golden = golden::read_json(folder + "/golden.json"), settings = golden::read_json(folder + "/generation_config.json");
  Session session(golden::load_model(folder));
  const bool decoder_only = !session.model().encoder;
  for (const Json& item : golden.root()["generate"].items()) {
    const std::string label(item["name"].get_string());
    CAPTURE(label);
    GenerationRequest request;
    request.prompts = unmasked(item["input_ids"], item["attention_mask"]);
    request.config = read_generation_config(settings.root(), Json());
    apply_options(request.config, item["params"]);
    request.config.return_scores = true;
    const Ids eos = request.config.eos_token_id;
    const GenerationResult result = run_generation(session, request).result;

    // The goldens keep left padding and fill rows that have ended.
    const std::vector<Json> rows = item["sequences"].items();
    REQUIRE(result.sequences.size() == rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Ids row = ids_of(rows[r]);
      const std::size_t prompt = r / (rows.size() / request.prompts.size());
      const std::size_t before = decoder_only ? item["input_ids"].items()[prompt].items().size() : 1;
      Ids expected = decoder_only ? request.prompts[prompt] : Ids{row.front()};
      for (std::size_t i = before; i < row.size(); ++i) {
        expected.push_back(row[i]);
        if (std::ranges::find(eos, row[i]) != eos.end()) break;
      }
      CHECK(result.sequences[r] == expected);
      if (item.has("sequences_scores")) {
        CHECK(result.scores[r] == doctest::Approx(item["sequences_scores"].items()[r].get_number()).epsilon(1e-4));
      }
    }
  }
}

}  // namespace

TEST_CASE("LLaMA generates what transformers does") { check_folder("llama"); }
TEST_CASE("Marian generates what transformers does, by its generation_config.json") { check_folder("marian"); }
TEST_CASE("BART generates what transformers does") { check_folder("bart"); }
TEST_CASE("M2M100 generates what transformers does, forced first tokens included") { check_folder("m2m100"); }
TEST_CASE("T5 generates what transformers does") { check_folder("t5"); }
TEST_CASE("GPT-2 generates what transformers does") { check_folder("gpt2"); }

#endif
