#include "model/adapter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "formats/safetensors.h"
#include "model/forward.h"
#include "model/loader.h"
#include "model/model_writer.h"
#include "support/tiny_models.h"

using namespace webformer;

namespace {

struct Loaded {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const WeightPlan> layout;
};

Loaded load(std::string_view config, WeightPolicy policy = WeightPolicy::f32) {
  const JsonDocument document = JsonDocument::parse(config, "config.json");
  ModelLoader loader(document.root(), policy);
  loader.randomize(1);
  std::shared_ptr<const Model> model = loader.finish();
  return {std::move(model), loader.layout()};
}

/// Wide enough that its matrices are quantized where that is asked for.
constexpr const char* wide_gpt2 = R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 50, "n_embd": 128,
  "n_layer": 1, "n_head": 4, "n_positions": 40, "initializer_range": 0.1})";
constexpr const char* bert = R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"], "vocab_size": 50,
  "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 40,
  "id2label": {"0": "a", "1": "b", "2": "c"}, "initializer_range": 0.3})";

/// An adapter whose B is not 0.
std::shared_ptr<const Adapter> trained(const Loaded& loaded, const AdapterConfig& config) {
  auto adapter = std::make_shared<Adapter>(make_adapter(*loaded.model, *loaded.layout, config, 1));
  Random random(2);
  for (const AdaptedModule& module : adapter->modules) {
    for (const AdaptedModule::Part& part : module.parts) {
      std::vector<float> row(std::size_t(config.rank));
      for (std::int64_t i = 0; i < part.change->up->rows(); ++i) {
        for (float& x : row) x = 0.1f * float(random.normal());
        part.change->up->fill(i, ConstMatrix(row.data(), 1, config.rank));
      }
    }
  }
  return adapter;
}

std::vector<float> scores(const Model& model) {
  Workspace workspace;
  Schedule schedule;
  ForwardInputs inputs{.input_ids = {1, 7, test::random_ids(7, 3, 48, 1)}};
  if (model.encoder && model.decoder) inputs.decoder_input_ids = {1, 5, test::random_ids(5, 3, 48, 2)};
  return Job<ModelOutput>(schedule, forward(model, inputs, {}, workspace, schedule)).finish().logits->data;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double most = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, double(std::abs(a[i] - b[i])));
  return most;
}

TensorTable table_of(const std::vector<std::byte>& file) {
  const auto start = std::size_t(safetensors_header_bytes(std::span(file).first(8), file.size(), "file"));
  return parse_safetensors_header(std::span(file).first(start), file.size(), "file");
}

std::map<std::string, std::string> shapes_of(const std::vector<std::byte>& file) {
  std::map<std::string, std::string> shapes;
  for (const TensorInfo& info : table_of(file).tensors) shapes[info.name] = to_text(info.shape);
  return shapes;
}

Adapter read(const Loaded& loaded, const std::string& config, std::span<const std::byte> file) {
  const JsonDocument document = JsonDocument::parse(config, "adapter_config.json");
  return read_adapter(*loaded.model, *loaded.layout, document.root(), file);
}

}  // namespace

TEST_CASE("a new adapter changes nothing, and a merged one what it changed beside the weights") {
  for (const auto* models : {&test::generating_models(), &test::labelling_models()}) {
    for (const auto& tiny : *models) {
      CAPTURE(std::string(tiny.name));
      const Loaded loaded = load(tiny.config);
      if (loaded.model->config.head == Head::question_answering) continue;
      const auto before = scores(*loaded.model);
      const auto fresh = with_adapter(
          *loaded.model, std::make_shared<const Adapter>(make_adapter(*loaded.model, *loaded.layout, {.rank = 2, .alpha = 4}, 1)));
      CHECK(scores(*fresh) == before);
      const auto adapted = with_adapter(*loaded.model, trained(loaded, {.rank = 2, .alpha = 4}));
      const auto changed = scores(*adapted);
      CHECK(distance(changed, before) > 1e-3);
      CHECK(scores(*with_adapter(*adapted, nullptr)) == before);
      const auto merged = with_adapter_merged(*adapted);
      CHECK_FALSE(merged->adapter);
      CHECK(distance(scores(*merged), changed) < 1e-3);
    }
  }
}

TEST_CASE("weights stay quantized beside an adapter; those that it is merged into become f32") {
  for (const WeightPolicy policy : {WeightPolicy::int8, WeightPolicy::int4, WeightPolicy::f16}) {
    const Loaded loaded = load(wide_gpt2, policy);
    const auto adapted = with_adapter(*loaded.model, trained(loaded, {.rank = 2, .alpha = 4}));
    const Attention& attention = adapted->decoder->layers[0].self_attention;
    const WeightType type = attention.query.weight->type();
    CHECK(type != WeightType::f32);
    const auto before = scores(*adapted);
    const auto merged = with_adapter_merged(*adapted);
    CHECK(attention.query.weight->type() == (policy == WeightPolicy::f16 ? WeightType::f16 : WeightType::f32));
    CHECK(attention.output.weight->type() == type);
    // Inputs of quantized weights are rounded to 7 bits, those of floats not.
    const double largest = std::abs(*std::ranges::max_element(before, {}, [](float x) { return std::abs(x); }));
    CHECK(distance(scores(*merged), before) < (policy == WeightPolicy::f16 ? 0.005 : 0.04) * largest);
  }
}

TEST_CASE("the files of an adapter are PEFT's: the modules of transformers' class, fused ones whole") {
  const Loaded loaded = load(wide_gpt2);
  const auto adapted = with_adapter(*loaded.model, trained(loaded, {.rank = 2, .alpha = 5}));
  const std::vector<std::byte> file = write_adapter(*adapted, *loaded.layout);
  CHECK(shapes_of(file) == std::map<std::string, std::string>{{"base_model.model.transformer.h.0.attn.c_attn.lora_A.weight", "[2, 128]"},
                                                              {"base_model.model.transformer.h.0.attn.c_attn.lora_B.weight", "[384, 2]"}});
  const std::string config = adapter_config_json(*adapted, *loaded.layout);
  const JsonDocument json = JsonDocument::parse(config, "adapter_config.json");
  CHECK(json.root()["r"].get_integer() == 2);
  CHECK(json.root()["lora_alpha"].get_number() == 5);
  CHECK(json.root()["task_type"].get_string() == "CAUSAL_LM");
  CHECK(json.root()["fan_in_fan_out"].get_bool());
  CHECK(json.root()["target_modules"].to_json() == R"(["c_attn"])");
  CHECK(json.root()["modules_to_save"].is_null());

  const Loaded again = load(wide_gpt2);
  const auto read_back = with_adapter(*again.model, std::make_shared<const Adapter>(read(again, config, file)));
  CHECK(scores(*read_back) == scores(*adapted));
}

TEST_CASE("a head that labels is saved with the adapter, and read with it") {
  const Loaded loaded = load(bert);
  const auto adapted = with_adapter(*loaded.model, trained(loaded, {.rank = 2, .alpha = 2, .targets = {"query", "output.dense"}}));
  const std::vector<std::byte> file = write_adapter(*adapted, *loaded.layout);
  const auto shapes = shapes_of(file);
  CHECK(shapes.size() == 8);
  CHECK(shapes.at("base_model.model.classifier.weight") == "[3, 32]");
  CHECK(shapes.at("base_model.model.classifier.bias") == "[3]");
  CHECK(shapes.at("base_model.model.bert.encoder.layer.0.attention.output.dense.lora_B.weight") == "[32, 2]");
  CHECK(shapes.at("base_model.model.bert.encoder.layer.0.output.dense.lora_A.weight") == "[2, 48]");
  const std::string config = adapter_config_json(*adapted, *loaded.layout);
  CHECK(config.find("\"modules_to_save\": [\n    \"classifier\"\n  ]") != std::string::npos);

  const Loaded other = load(bert);
  std::ranges::fill(other.model->heads.classifier->output.weight->numbers(), 0.f);
  const auto read_back = with_adapter(*other.model, std::make_shared<const Adapter>(read(other, config, file)));
  CHECK(scores(*read_back) == scores(*adapted));
}

TEST_CASE("a model is saved with its adapter's changes, in a fused tensor too") {
  const Loaded loaded = load(wide_gpt2);
  const auto adapted = with_adapter(*loaded.model, trained(loaded, {.rank = 2, .alpha = 4}));
  const auto saved = [&](const std::shared_ptr<const Adapter>& adapter) {
    ModelWriter writer(loaded.layout, DType::f32, adapter);
    std::vector<std::vector<std::byte>> tensors;
    while (!writer.done()) tensors.push_back(writer.next());
    return tensors;
  };
  const auto with = saved(adapted->adapter), without = saved(nullptr);
  with_adapter_merged(*adapted);
  CHECK(with == saved(nullptr));
  CHECK(with != without);
}

TEST_CASE("what is no adapter of the model is refused by what is wrong with it") {
  const Loaded loaded = load(wide_gpt2);
  const auto refused = [&](const std::string& config, std::span<const std::byte> file, const char* text, Code code) {
    CAPTURE(text);
    try {
      read(loaded, config, file);
      FAIL("nothing was refused");
    } catch (const Error& error) {
      CHECK(error.message().find(text) != std::string::npos);
      CHECK(error.code() == code);
    }
  };
  CHECK_THROWS_WITH_AS(make_adapter(*loaded.model, *loaded.layout, {.targets = {"q_proj"}}, 1),
                       "targets: q_proj found, which no linear module is named; there are c_attn, c_fc, c_proj", Error);
  const std::string good = R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1})";
  const std::string module = "base_model.model.transformer.h.0.attn.c_attn";
  Array down(Shape{1, 128}), up(Shape{384, 1});
  const auto file_of = [&](std::vector<std::pair<std::string, const Array*>> arrays) {
    std::vector<SafetensorsTensor> tensors;
    for (const auto& [name, array] : arrays) tensors.push_back({{name, DType::f32, array->shape}, std::as_bytes(std::span(array->data))});
    return write_safetensors(tensors);
  };
  const std::vector<std::byte> whole = file_of({{module + ".lora_A.weight", &down}, {module + ".lora_B.weight", &up}});
  CHECK(read(loaded, good, whole).modules.size() == 1);
  const auto older = file_of({{module + ".lora_A.default.weight", &down}, {module + ".lora_B.default.weight", &up}});
  CHECK(read(loaded, good, older).modules.size() == 1);
  refused(R"({"peft_type": "IA3", "r": 1})", whole, "peft_type IA3", Code::unsupported_model);
  refused(R"({"peft_type": "LORA", "r": 1, "use_dora": true})", whole, "use_dora", Code::unsupported_model);
  refused(R"({"peft_type": "LORA", "r": 1, "rank_pattern": {"a": 1}})", whole, "rank_pattern", Code::unsupported_model);
  refused(R"({"peft_type": "LORA", "r": 0})", whole, "r 0 found", Code::invalid_file);
  refused(R"({"peft_type": "LORA", "r": 2})", whole, "shape [1, 128] in the file, [2, 128] expected", Code::weight_mismatch);
  refused(good, file_of({{module + ".lora_A.weight", &down}}), "lora_B.weight is missing", Code::weight_missing);
  refused(good, file_of({{"base_model.model.h.7.lora_A.weight", &down}}), "named h.7", Code::weight_mismatch);
  refused(good, file_of({}), "no module", Code::invalid_file);
  refused(good, {}, "adapter_model.safetensors", Code::invalid_file);
  up.data[3] = std::numeric_limits<float>::quiet_NaN();
  refused(good, file_of({{module + ".lora_A.weight", &down}, {module + ".lora_B.weight", &up}}), "NaN", Code::numeric_error);
}
