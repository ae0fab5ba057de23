#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "model/families/read.h"

namespace webformer {

namespace {

/// LLaMA 3.1: long wavelengths are stretched by `factor`, short ones stay, those between change smoothly.
void scale_llama3(RopeConfig& rope, const Json& scaling) {
  const double factor = read_positive(scaling, "factor", 0), low = read_positive(scaling, "low_freq_factor", 1);
  const double high = read_positive(scaling, "high_freq_factor", 4),
               trained = read_positive(scaling, "original_max_position_embeddings", 0);
  for (float& frequency : rope.frequencies) {
    const double turns = trained * frequency / (2 * std::numbers::pi);
    const double smooth = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    frequency = float(frequency * ((1 - smooth) / factor + smooth));
  }
}

/// YaRN (Peng et al. 2023, section 3): as above by the number of turns in the trained length, and a temperature on the scores.
void scale_yarn(RopeConfig& rope, const Json& scaling, const Json& config, double base) {
  const double factor = read_positive(scaling, "factor", 0);
  const double trained = read_positive(scaling, "original_max_position_embeddings", config.get_or("max_position_embeddings", 0.0));
  const double fast = read_positive(scaling, "beta_fast", 32), slow = read_positive(scaling, "beta_slow", 1);
  const auto dimension = [&](double turns) {
    return rope.rotated * std::log(trained / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  double first = dimension(fast), last = dimension(slow);
  if (scaling.get_or("truncate", true)) first = std::floor(first), last = std::ceil(last);
  first = std::max(first, 0.0);
  last = std::min(last, rope.rotated - 1.0);
  if (first == last) last += 0.001;
  for (std::size_t i = 0; i < rope.frequencies.size(); ++i) {
    const double stretched = std::clamp((double(i) - first) / (last - first), 0.0, 1.0);
    rope.frequencies[i] = float(rope.frequencies[i] * (stretched / factor + 1 - stretched));
  }
  const auto magnitude = [&](double weight) { return factor > 1 ? 0.1 * weight * std::log(factor) + 1 : 1.0; };
  const double all = scaling.get_or("mscale_all_dim", 0.0), one = scaling.get_or("mscale", 0.0);
  rope.magnitude = float(scaling.get_or("attention_factor", all != 0 && one != 0 ? magnitude(one) / magnitude(all) : magnitude(1)));
}

/// LongRoPE (Ding et al. 2024): a factor for each frequency, others for texts longer than the model was first trained on. Only the first
/// are taken, and with them the shorter context.
void scale_longrope(RopeConfig& rope, const Json& scaling, const Json& config) {
  const Json factors = scaling["short_factor"];
  const std::size_t count = factors.is_array() ? factors.items().size() : 0;
  if (count != rope.frequencies.size()) {
    throw Error(Code::invalid_file, "{}: short_factor has {} numbers, {} expected, one a frequency", config.file(), count,
                rope.frequencies.size());
  }
  for (std::size_t i = 0; i < count; ++i) rope.frequencies[i] /= float(factors.items()[i].get_number());
  const auto known = [&](const Json& place) { return read_size(place, {"original_max_position_embeddings"}, 0); };
  const std::int64_t context = read_size(config, {"max_position_embeddings"});
  rope.longest = known(config) ? known(config) : known(scaling) ? known(scaling) : context;
  const double factor = scaling.get_or("factor", double(context) / double(rope.longest));
  const double magnitude = factor > 1 ? std::sqrt(1 + std::log(factor) / std::log(double(rope.longest))) : 1;
  rope.magnitude = float(scaling.get_or("attention_factor", magnitude));
}

/// Phi-3's first files call longrope su or yarn.
std::string read_type(const Json& config, const Json& settings) {
  if (settings.has("short_factor")) return "longrope";
  const std::string type = settings.has("rope_type") ? settings.get_or("rope_type", "") : settings.get_or("type", "default");
  for (const std::string_view known : {"default", "linear", "dynamic", "llama3", "yarn", "longrope"})
    if (type == known) return type;
  throw Error(Code::unsupported_model, "{}: rope type \"{}\", one of default, linear, dynamic, llama3, yarn, longrope expected",
              config.file(), type);
}

}  // namespace

RopeConfig read_rope(const Json& config, int head_size, const RopeKeys& keys) {
  Json settings = config["rope_parameters"];
  if (settings.has(keys.layer_type)) settings = settings[keys.layer_type];
  // Scaling of transformers 4 is for the layers that see all, not for local ones.
  if (settings.is_null() && keys.layer_type != "sliding_attention") settings = config["rope_scaling"];
  const bool is_local = keys.layer_type == "sliding_attention";  // whose base is its own, even where config.json is silent
  const std::string_view theta_key = is_local || config.has(keys.theta_key) ? keys.theta_key : "rope_theta";
  const double outer = read_positive(config, theta_key, keys.theta);  // checked where the other one counts, too
  const double base = settings.has("rope_theta") ? read_positive(settings, "rope_theta", 0) : outer;
  const double partial = settings.get_or("partial_rotary_factor", config.get_or(keys.partial_key, keys.partial));
  if (partial != 1 && !keys.may_be_partial)
    throw Error(Code::unsupported_model, "{}: {} is {}, only 1 is supported", config.file(), keys.partial_key, partial);
  RopeConfig rope;
  rope.rotated = int(head_size * partial);
  if (rope.rotated < 2 || rope.rotated > head_size || rope.rotated % 2 != 0) {
    throw Error(Code::invalid_file, "{}: partial_rotary_factor {} of head size {} rotates {} numbers, an even number up to it expected",
                config.file(), partial, head_size, rope.rotated);
  }
  rope.frequencies = rope_frequencies(rope.rotated, base);

  const std::string type = read_type(config, settings);
  read_type(config, config["rope_scaling"]);
  if (type == "longrope") {
    scale_longrope(rope, settings, config);
  } else if (type == "linear") {
    for (float& frequency : rope.frequencies) frequency /= read_positive(settings, "factor", 0);
  } else if (type == "dynamic") {
    rope.longest = read_size(config, {"max_position_embeddings"});  // the base grows from there on (NTK-aware scaling)
  } else if (type == "llama3") {
    scale_llama3(rope, settings);
  } else if (type == "yarn") {
    scale_yarn(rope, settings, config, base);
  }
  return rope;
}

}  // namespace webformer
