#include "model/families/read.h"

#include <cmath>

#include "core/error.h"

namespace webformer {

std::int64_t read_size(const Json& config, std::initializer_list<std::string_view> keys, std::int64_t otherwise, std::int64_t least,
                       std::int64_t most) {
  for (const std::string_view key : keys) {
    if (!config.has(key)) continue;
    const std::int64_t value = config[key].get_integer();
    if (value < least || value > most)
      throw Error(Code::invalid_file, "{}: {} is {}, {} to {} expected", config.file(), key, value, least, most);
    return value;
  }
  if (otherwise < 0) throw Error(Code::invalid_file, "{}: {} is missing", config.file(), *keys.begin());
  return otherwise;
}

std::int64_t read_layers(const Json& config, std::initializer_list<std::string_view> keys) { return read_size(config, keys, -1, 1, 1024); }

bool slides(const Json& config, int layer, bool otherwise) {
  if (!config.has("layer_types")) return otherwise;
  const std::vector<Json> types = config["layer_types"].items();
  if (std::size_t(layer) >= types.size())
    throw Error(Code::invalid_file, "{}: layer_types has {} entries, one a layer expected", config.file(), types.size());
  const std::string_view type = types[std::size_t(layer)].get_string();
  if (type != "sliding_attention" && type != "full_attention") {
    throw Error(Code::unsupported_model, "{}: layer_types has \"{}\", full_attention or sliding_attention expected", config.file(), type);
  }
  return type == "sliding_attention";
}

float read_positive(const Json& config, std::string_view key, double otherwise) {
  const double value = config.get_or(key, otherwise);
  if (!(value > 0) || !std::isfinite(value))
    throw Error(Code::invalid_file, "{}: {} is {}, a number above 0 expected", config.file(), key, value);
  return float(value);
}

Activation read_activation(const Json& config, std::string_view key, const char* otherwise) {
  return activation_named(config, key, config.get_or(key, otherwise));
}

Activation activation_named(const Json& config, std::string_view key, std::string_view name) {
  constexpr std::pair<std::string_view, Activation> known[] = {
      {"relu", Activation::relu},           {"gelu", Activation::gelu},
      {"gelu_python", Activation::gelu},    {"gelu_new", Activation::gelu_tanh},
      {"gelu_fast", Activation::gelu_tanh}, {"gelu_pytorch_tanh", Activation::gelu_tanh},
      {"silu", Activation::silu},           {"quick_gelu", Activation::quick_gelu},
      {"swish", Activation::silu},          {"tanh", Activation::tanh},
      {"sigmoid", Activation::sigmoid},     {"linear", Activation::identity}};
  std::string list;
  for (const auto& [one, activation] : known) {
    if (name == one) return activation;
    list += (list.empty() ? "" : ", ") + std::string(one);
  }
  throw Error(Code::unsupported_model, "{}: {} is \"{}\", one of {} expected", config.file(), key, name, list);
}

void require(const Json& config, std::string_view key, bool supported) {
  if (config.get_or(key, supported) != supported)
    throw Error(Code::unsupported_model, "{}: {} is {}, only {} is supported", config.file(), key, !supported, supported);
}

void require_null(const Json& config, std::string_view key) {
  if (config.has(key))
    throw Error(Code::unsupported_model, "{}: {} is {}, only null is supported", config.file(), key, config[key].to_json());
}

void set_sizes(StackConfig& c, std::int64_t width, std::int64_t layers, std::int64_t heads, std::int64_t kv_heads, std::int64_t head_size,
               std::int64_t inner) {
  if (head_size == 0) {
    if (width % heads != 0)
      throw Error(Code::invalid_file, "config.json: {} attention heads do not divide the hidden size {}", heads, width);
    head_size = width / heads;
  }
  if (heads % kv_heads != 0)
    throw Error(Code::invalid_file, "config.json: {} key-value heads do not divide {} attention heads", kv_heads, heads);
  c.width = int(width);
  c.layers = int(layers);
  c.distinct_layers = int(layers);
  c.heads = int(heads);
  c.kv_heads = int(kv_heads);
  c.head_size = int(head_size);
  c.inner = int(inner);
  c.attention_scale = 1 / std::sqrt(float(head_size));
  c.layer.assign(std::size_t(layers), {});
}

std::vector<float> rope_frequencies(int rotated, double base) {
  std::vector<float> frequencies(std::size_t(rotated / 2));
  for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] = float(std::pow(base, -2.0 * double(i) / rotated));
  return frequencies;
}

}  // namespace webformer
