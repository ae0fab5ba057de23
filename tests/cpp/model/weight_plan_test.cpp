// RELIABILITY.md, section B: weights against config.json.

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "support/named_tensors.h"

using namespace webformer;
using namespace webformer::test;

namespace {

constexpr const char* config =
    R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 10, "hidden_size": 8, "num_hidden_layers": 1,
  "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 12, "max_position_embeddings": 16,
  "tie_word_embeddings": true})";

struct File {
  std::vector<NamedTensor> tensors;

  static File whole() {
    File file;
    Random random(1);
    const auto add = [&](std::string name, Shape shape) {
      Array values(shape);
      for (float& x : values.data) x = float(random.normal());
      file.tensors.push_back({std::move(name), std::move(values)});
    };
    add("model.embed_tokens.weight", {10, 8});
    add("model.layers.0.input_layernorm.weight", {8});
    add("model.layers.0.self_attn.q_proj.weight", {8, 8});
    add("model.layers.0.self_attn.k_proj.weight", {4, 8});
    add("model.layers.0.self_attn.v_proj.weight", {4, 8});
    add("model.layers.0.self_attn.o_proj.weight", {8, 8});
    add("model.layers.0.post_attention_layernorm.weight", {8});
    add("model.layers.0.mlp.gate_proj.weight", {12, 8});
    add("model.layers.0.mlp.up_proj.weight", {12, 8});
    add("model.layers.0.mlp.down_proj.weight", {8, 12});
    add("model.norm.weight", {8});
    return file;
  }

  Array& at(std::string_view name) { return std::ranges::find(tensors, name, &NamedTensor::name)->values; }

  std::shared_ptr<const Model> load(std::uint64_t memory_limit = 0) const { return load_model(config, tensors, memory_limit); }

  std::string error() const {
    try {
      load();
      return "";
    } catch (const Error& error) {
      return std::string(name(error.code())) + ": " + error.message();
    }
  }
};

}  // namespace

TEST_CASE("a whole file loads; its tied head is the embedding") {
  const auto model = File::whole().load();
  CHECK(model->unused_weights.empty());
  CHECK(model->heads.lm->output.weight == model->decoder->embeddings.tokens.table);
  CHECK(model->parameters == 10 * 8 + 3 * 8 + 2 * 64 + 2 * 32 + 3 * 96);
}

TEST_CASE("all tensors that are missing are named at once") {
  File file = File::whole();
  std::erase_if(file.tensors, [](const auto& t) { return t.name.find("mlp.up") != std::string::npos || t.name == "model.norm.weight"; });
  CHECK(file.error() ==
        "weight_missing: 2 of the tensors that config.json asks for are not in the file: model.layers.0.mlp.up_proj.weight, "
        "model.norm.weight");
}

TEST_CASE("a transposed matrix is a mismatch that names both shapes") {
  File file = File::whole();
  file.at("model.layers.0.mlp.down_proj.weight").shape = Shape{12, 8};
  CHECK(file.error() ==
        "weight_mismatch: model.layers.0.mlp.down_proj.weight: shape [12, 8] in the file, [8, 12] expected from config.json");
}

TEST_CASE("several mismatches have semicolons between them: shapes have commas") {
  File file = File::whole();
  file.at("model.layers.0.mlp.down_proj.weight").shape = Shape{12, 8};
  file.at("model.layers.0.mlp.up_proj.weight").shape = Shape{8, 12};
  CHECK(file.error() ==
        "weight_mismatch: model.layers.0.mlp.up_proj.weight: shape [8, 12] in the file, [12, 8] expected from config.json; "
        "model.layers.0.mlp.down_proj.weight: shape [12, 8] in the file, [8, 12] expected from config.json");
}

TEST_CASE("a tensor may be in one of several files, not in two") {
  const JsonDocument document = JsonDocument::parse(config, "config.json");
  const File file = File::whole();
  const std::vector<NamedTensor> first(file.tensors.begin(), file.tensors.begin() + 5);
  std::vector<NamedTensor> second(file.tensors.begin() + 5, file.tensors.end());
  const auto load = [&] {
    ModelLoader loader(document.root(), WeightPolicy::f32);
    load_file(loader, first, "1.safetensors", false);
    load_file(loader, second, "2.safetensors", true);
    return loader.finish();
  };
  CHECK(load()->parameters == file.load()->parameters);
  second.push_back(first[3]);
  CHECK_THROWS_WITH(load(), "2.safetensors: tensor \"model.layers.0.self_attn.k_proj.weight\" is in it, and in a file before it");
}

TEST_CASE("a tensor that nothing uses is listed, and known leftovers are not") {
  File file = File::whole();
  file.tensors.push_back({"model.layers.7.extra.weight", Array(Shape{2})});
  file.tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", Array(Shape{2})});
  CHECK(file.load()->unused_weights == std::vector<std::string>{"model.layers.7.extra.weight"});
}

TEST_CASE("NaN and infinity in a weight are reported with the tensor's name") {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const char* name : {"model.layers.0.mlp.down_proj.weight", "model.norm.weight"}) {
      File file = File::whole();
      file.at(name).data.back() = bad;
      CHECK(file.error() == "numeric_error: " + std::string(name) + ": a number of it is NaN or infinite");
    }
  }
}

TEST_CASE("a stored head that differs from the embedding wins over tie_word_embeddings; an equal one is shared") {
  File file = File::whole();
  file.tensors.push_back({"lm_head.weight", file.at("model.embed_tokens.weight")});
  {
    const auto model = file.load();
    CHECK(model->heads.lm->output.weight == model->decoder->embeddings.tokens.table);
  }
  file.at("lm_head.weight").data[5] += 1;
  const auto model = file.load();
  CHECK(model->heads.lm->output.weight != model->decoder->embeddings.tokens.table);
}

TEST_CASE("weights that do not fit the memory are refused before anything is allocated, with both numbers") {
  try {
    File::whole().load(1000);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == Code::out_of_memory);
    CHECK(error.message().find("1000 are available") != std::string::npos);
  }
}
