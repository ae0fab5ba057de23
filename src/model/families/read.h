#pragma once
// What the rows of all families read config.json with. Errors are invalid_file and name the key, the value found and the bound.

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "formats/json.h"
#include "model/config.h"

namespace webformer {

/// The first of `keys` that is there, as a whole number in [least, most]; `otherwise` where none is and otherwise >= 0. Throws if there is
/// none.
std::int64_t read_size(const Json& config, std::initializer_list<std::string_view> keys, std::int64_t otherwise = -1,
                       std::int64_t least = 1, std::int64_t most = 1 << 24);
/// A finite number greater than 0.
float read_positive(const Json& config, std::string_view key, double otherwise);
/// Hugging Face's name of an activation function. Throws unsupported_model for an unknown one, never takes a default for it.
Activation read_activation(const Json& config, std::string_view key, const char* otherwise);
/// The same for a name that was read from `key`.
Activation activation_named(const Json& config, std::string_view key, std::string_view name);
/// For a switch that would change the numbers and has no code: throws unsupported_model unless it is as supported, or absent.
void require(const Json& config, std::string_view key, bool supported);
/// The same for a value that has to be absent or null.
void require_null(const Json& config, std::string_view key);

/// Sets width, heads, kv_heads, head_size, attention_scale (1/sqrt(D)), layers, distinct_layers, layer and inner. Throws where they do not
/// fit each other: heads must divide the width (unless head_dim is given) and kv_heads the heads.
void set_sizes(StackConfig& c, std::int64_t width, std::int64_t layers, std::int64_t heads, std::int64_t kv_heads, std::int64_t head_size,
               std::int64_t inner);

/// Where transformers 4 keeps a family's rotary settings, and what they are where config.json is silent.
struct RopeKeys {
  std::string_view layer_type = "";  ///< the kind of layers, where rope_parameters has one entry for each
  std::string_view theta_key = "rope_theta";
  double theta = 10000;
  std::string_view partial_key = "partial_rotary_factor";
  double partial = 1;
  bool may_be_partial = false;  ///< else a partial_rotary_factor is refused: transformers turns the whole head
};

/// Rotary frequencies as config.json has them: `rope_parameters` (transformers 5) or `rope_theta` and `rope_scaling` (4).
/// Types: default, linear, llama3 (Dubey et al. 2024), yarn (Peng et al. 2023); dynamic and longrope (Ding et al. 2024) up to the length
/// from which their frequencies would change, RopeConfig::longest. Throws unsupported_model for others.
RopeConfig read_rope(const Json& config, int head_size, const RopeKeys& keys = {});
/// How many layers: 1 to 1024.
std::int64_t read_layers(const Json& config, std::initializer_list<std::string_view> keys);
/// Whether a layer is one with a sliding window: layer_types says so (transformers 5), else `otherwise`.
bool slides(const Json& config, int layer, bool otherwise);

/// base^(-2i/rotated) for i in [0, rotated/2).
std::vector<float> rope_frequencies(int rotated, double base);

}  // namespace webformer
