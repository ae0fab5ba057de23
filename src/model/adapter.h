#pragma once
// A LoRA adapter: low-rank changes of some of a model's linear layers, and the files of PEFT, which name the modules that they change.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/json.h"
#include "model/low_rank.h"
#include "model/weight_plan.h"

namespace webformer {

struct Model;

/// adapter_config.json's r, lora_alpha, use_rslora and target_modules.
struct AdapterConfig {
  std::int64_t rank = 8;
  double alpha = 8;              ///< changes are multiplied by alpha / rank
  bool root_scaled = false;      ///< by alpha / sqrt(rank) (Kalajdzievski 2023)
  std::vector<std::string> targets;  ///< last parts of modules' names: "q_proj"; none: what holds queries or values of attention

  float scale() const noexcept;
};

/// A linear module of transformers' class, and the layers that it is here.
struct AdaptedModule {
  struct Part {
    Weight base;
    std::vector<std::int64_t> rows;  ///< which outputs of the module are the layer's
    std::shared_ptr<const LowRank> change;
  };

  std::string name;               ///< "transformer.h.0.attn.c_attn"
  std::int64_t in = 0, out = 0;
  bool transposed = false;        ///< its weight is stored as [in, out]
  std::vector<Part> parts;

  /// Gives each part its A and B, which are 0.
  void allocate(const AdapterConfig& config);
};

struct Adapter {
  AdapterConfig config;
  std::vector<AdaptedModule> modules;
  bool with_head = false;  ///< the labels' head is learned too, and saved with the adapter

  /// All that is learned but the head: matrices A and B by our names.
  std::vector<Weight> weights() const;
};

/// The linear modules of the layers, without changes.
std::vector<AdaptedModule> linear_modules(const Model& model, const WeightPlan& layout);
/// The weights of a head that labels: by our names, they begin so.
inline constexpr std::string_view labelling_head = "heads.classifier";

/// A new adapter, which changes nothing yet: A is uniform in +-1/sqrt(in), B is 0, as PEFT begins. Throws invalid_argument for a target
/// that no module of the layers has. `layout` is the loader's.
Adapter make_adapter(const Model& model, const WeightPlan& layout, AdapterConfig config, std::uint64_t seed);
/// From the two files of PEFT. Throws invalid_file, unsupported_model (kinds of adapters other than LoRA), weight_missing, weight_mismatch,
/// numeric_error; the model's head is not changed then.
Adapter read_adapter(const Model& model, const WeightPlan& layout, const Json& config, std::span<const std::byte> file);

/// The same model with the adapter in the place of the one it has; null: with none. Weights are shared.
std::shared_ptr<const Model> with_adapter(const Model& model, std::shared_ptr<const Adapter> adapter);
/// The same with its adapter's changes in the weights, for all who share them. Quantized ones that change become f32.
std::shared_ptr<const Model> with_adapter_merged(const Model& model);

/// adapter_config.json and adapter_model.safetensors of the model's adapter.
std::string adapter_config_json(const Model& model, const WeightPlan& layout);
std::vector<std::byte> write_adapter(const Model& model, const WeightPlan& layout);

/// out += what an adapter changes in row `row` of a weight, if it does. Null: nothing.
void add_change(const Adapter* adapter, const Weight& weight, std::int64_t row, float* out);

}  // namespace webformer
