#include "model/new_head.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "formats/safetensors.h"
#include "model/loader.h"
#include "model/model_writer.h"

using namespace webformer;

namespace {

constexpr const char* base = R"({"model_type": "bert", "architectures": ["BertModel"], "vocab_size": 20, "hidden_size": 16,
  "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 16, "layer_norm_eps": 1e-12,
  "initializer_range": 0.2})";

std::string changed(const char* config, const NewHead& head) {
  return with_new_head(JsonDocument::parse(config, "config.json").root(), head);
}


/// The bytes of model.safetensors, and its table.
using File = std::pair<std::vector<std::byte>, TensorTable>;

File saved(std::shared_ptr<const WeightPlan> layout) {
  ModelWriter writer(std::move(layout), DType::f32);
  const std::string header = writer.header();
  const auto start = std::as_bytes(std::span(header));
  std::vector<std::byte> file(start.begin(), start.end());
  while (!writer.done()) {
    const auto part = writer.next();
    file.insert(file.end(), part.begin(), part.end());
  }
  TensorTable table = parse_safetensors_header(std::span(file).first(header.size()), file.size(), "file");
  return {std::move(file), std::move(table)};
}

std::vector<std::byte> bytes_of(const File& file, std::string_view name) {
  const TensorInfo* info = file.second.find(name);
  REQUIRE_MESSAGE(info, std::string(name));
  return {file.first.begin() + std::ptrdiff_t(info->begin), file.first.begin() + std::ptrdiff_t(info->end)};
}

/// Loads a file as the config with a new head says.
std::pair<std::shared_ptr<const Model>, std::shared_ptr<const WeightPlan>> load(const std::string& config, std::uint64_t seed,
                                                                                const File& file) {
  const JsonDocument document = JsonDocument::parse(config, "config.json");
  ModelLoader loader(document.root(), WeightPolicy::f32);
  loader.renew_head(seed);
  loader.bind(file.second, true);
  for (const TensorInfo& info : file.second.tensors) {
    const auto bytes = std::span(file.first).subspan(std::size_t(info.begin), std::size_t(info.end - info.begin));
    if (loader.wants(info.name)) loader.fill(info, bytes);
  }
  auto model = loader.finish();
  return {std::move(model), loader.layout()};
}

}  // namespace

TEST_CASE("a class of the task takes the place of the one that config.json names, with its labels") {
  const std::string config = changed(R"({"architectures": ["GPT2LMHeadModel"], "n_embd": 8, "num_labels": 9, "id2label": {"0": "old"},
    "layer_norm_epsilon": 1e-05, "list": [1, {"a": null}]})",
                                     {.task = "token-classification", .labels = {"O", "B-\"x\""}});
  const JsonDocument document = JsonDocument::parse(config, "config.json");
  CHECK(document.root()["architectures"].to_json() == R"(["GPT2ForTokenClassification"])");
  CHECK(document.root()["id2label"].to_json() == R"({"0":"O","1":"B-\"x\""})");
  CHECK(document.root()["label2id"]["B-\"x\""].get_integer() == 1);
  CHECK(document.root()["num_labels"].is_missing());
  CHECK(document.root()["layer_norm_epsilon"].get_number() == 1e-5);
  CHECK(document.root()["list"].to_json() == R"([1,{"a":null}])");
  for (const auto& [found, expected] : {std::pair{"BertModel", "BertForQuestionAnswering"},
                                        {"XLMRobertaForMaskedLM", "XLMRobertaForQuestionAnswering"},
                                        {"BertForQuestionAnswering", "BertForQuestionAnswering"}}) {
    const std::string one = changed((R"({"architectures": [")" + std::string(found) + R"("]})").c_str(), {.task = "question-answering"});
    CHECK(JsonDocument::parse(one, "config.json").root()["architectures"].items()[0].get_string() == expected);
  }
}

TEST_CASE("what is no new head is refused") {
  const auto refused = [](const NewHead& head, const char* text) {
    CHECK_THROWS_WITH_AS(changed(base, head), doctest::Contains(text), Error);
  };
  refused({.task = "summarization"}, "head.task: summarization found, one of text-classification, token-classification");
  refused({.task = "text-classification", .labels = {"one"}}, "head.labels: 1 found, at least 2 expected");
  refused({.task = "question-answering", .labels = {"one"}}, "head.labels: 1 found, none expected");
  refused({.task = "text-classification", .labels = {"a", "b", "a"}}, "head.labels: a is there twice");
  CHECK_THROWS_WITH_AS(changed(R"({"model_type": "bert"})", {.task = "question-answering"}), doctest::Contains("architectures"), Error);
}

TEST_CASE("a base model keeps its weights below a new head, whose pooler is its own or new, and is saved as transformers' class") {
  const JsonDocument document = JsonDocument::parse(base, "config.json");
  ModelLoader loader(document.root(), WeightPolicy::f32);
  loader.randomize(1);
  const auto kept = loader.finish();
  const auto file = saved(loader.layout());
  CHECK(file.second.find("encoder.layer.0.attention.self.query.weight"));  // BertModel's own names have no prefix
  const std::string config = changed(base, {.task = "text-classification", .labels = {"a", "b", "c"}});
  const auto [model, layout] = load(config, 5, file);
  const auto again = saved(layout);
  CHECK(bytes_of(again, "bert.encoder.layer.0.attention.self.query.weight") ==
        bytes_of(file, "encoder.layer.0.attention.self.query.weight"));
  CHECK(bytes_of(again, "bert.pooler.dense.weight") == bytes_of(file, "pooler.dense.weight"));
  CHECK(again.second.find("classifier.weight")->shape == Shape{3, 16});
  CHECK(again.second.tensors.size() == file.second.tensors.size() + 2);

  // The same seed, and another one; a head that the file has is not taken, even where it would fit.
  const auto classifier = [&](std::uint64_t seed) { return bytes_of(saved(load(config, seed, again).second), "classifier.weight"); };
  CHECK(classifier(5) == bytes_of(again, "classifier.weight"));
  CHECK(classifier(6) != bytes_of(again, "classifier.weight"));
  CHECK(load(changed(base, {.task = "text-classification", .labels = {"a", "b"}}), 5, again).first->unused_weights ==
        std::vector<std::string>{"classifier.bias", "classifier.weight"});
}
