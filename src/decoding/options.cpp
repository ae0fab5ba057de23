#include "decoding/options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/error.h"
#include "decoding/names.h"

namespace webformer {

namespace {

enum class Origin { checkpoint, caller };

/// One setting's value: reads it as the type that the setting has, or refuses it in the words of its origin.
class Value {
 public:
  Value(std::string_view name, const Json& json, Origin origin) : name_(name), json_(json), origin_(origin) {}

  double number() const {
    if (!json_.is_number()) refuse("a number");
    return json_.get_number();
  }
  /// Of a size that JavaScript has exactly.
  std::int64_t whole() const {
    const double value = json_.is_number() ? json_.get_number() : std::nan("");
    if (!(std::abs(value) < 0x1p53) || value != std::trunc(value)) refuse("a whole number below 2^53");
    return std::int64_t(value);
  }
  bool flag() const {
    if (!json_.is_bool()) refuse("true or false");
    return json_.get_bool();
  }
  /// Checkpoints write -1 for a token that they do not have.
  std::optional<std::int32_t> id() const {
    const std::int64_t value = whole();
    if (value > INT32_MAX || (value < 0 && origin_ == Origin::caller)) refuse("a token id");
    return value < 0 ? std::nullopt : std::optional(std::int32_t(value));
  }
  /// One, or a list.
  std::vector<std::int32_t> ids() const {
    std::vector<std::int32_t> list;
    if (!json_.is_array()) {
      if (const auto one = id()) list.push_back(*one);
      return list;
    }
    for (const Json& item : json_.items()) {
      if (const auto one = Value(name_, item, origin_).id()) list.push_back(*one);
    }
    return list;
  }
  std::vector<std::vector<std::int32_t>> id_lists() const {
    if (!json_.is_array()) refuse("a list of lists of token ids");
    std::vector<std::vector<std::int32_t>> lists;
    for (const Json& item : json_.items()) {
      if (!item.is_array()) refuse("a list of lists of token ids");
      lists.push_back(Value(name_, item, origin_).ids());
    }
    return lists;
  }
  std::vector<std::string> texts() const {
    if (json_.is_string()) return {std::string(json_.get_string())};
    if (!json_.is_array()) refuse("a list of texts");
    std::vector<std::string> list;
    for (const Json& item : json_.items()) {
      if (!item.is_string()) refuse("a list of texts");
      list.emplace_back(item.get_string());
    }
    return list;
  }
  EarlyStopping early_stopping() const {
    if (json_.is_string() && json_.get_string() == "never") return EarlyStopping::never;
    if (!json_.is_bool()) refuse("true, false or \"never\"");
    return json_.get_bool() ? EarlyStopping::yes : EarlyStopping::no;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    const std::string found = json_.to_json();
    if (origin_ == Origin::checkpoint) throw Error(Code::invalid_file, "{}: {} is {}, {} expected", json_.file(), name_, found, expected);
    throw Error(Code::invalid_argument, "{}: {} found, {} expected", name_, found, expected).with("option", name_).with("found", found);
  }

  std::string_view name_;
  const Json& json_;
  Origin origin_;
};

struct Setting {
  std::string_view name;
  void (*read)(const Value& value, GenerationConfig& config);
};

/// Settings that both a checkpoint and a caller may give.
constexpr std::array settings{
    Setting{"max_new_tokens", [](const Value& v, GenerationConfig& c) { c.max_new_tokens = v.whole(); }},
    Setting{"max_length", [](const Value& v, GenerationConfig& c) { c.max_length = v.whole(); }},
    Setting{"min_new_tokens", [](const Value& v, GenerationConfig& c) { c.min_new_tokens = v.whole(); }},
    Setting{"min_length", [](const Value& v, GenerationConfig& c) { c.min_length = v.whole(); }},
    Setting{"do_sample", [](const Value& v, GenerationConfig& c) { c.do_sample = v.flag(); }},
    Setting{"temperature", [](const Value& v, GenerationConfig& c) { c.temperature = v.number(); }},
    Setting{"top_k", [](const Value& v, GenerationConfig& c) { c.top_k = v.whole(); }},
    Setting{"top_p", [](const Value& v, GenerationConfig& c) { c.top_p = v.number(); }},
    Setting{"min_p", [](const Value& v, GenerationConfig& c) { c.min_p = v.number(); }},
    Setting{"typical_p", [](const Value& v, GenerationConfig& c) { c.typical_p = v.number(); }},
    Setting{"repetition_penalty", [](const Value& v, GenerationConfig& c) { c.repetition_penalty = v.number(); }},
    Setting{"no_repeat_ngram_size", [](const Value& v, GenerationConfig& c) { c.no_repeat_ngram_size = v.whole(); }},
    Setting{"bad_words_ids", [](const Value& v, GenerationConfig& c) { c.bad_words_ids = v.id_lists(); }},
    Setting{"renormalize_logits", [](const Value& v, GenerationConfig& c) { c.renormalize_logits = v.flag(); }},
    Setting{"num_beams", [](const Value& v, GenerationConfig& c) { c.num_beams = v.whole(); }},
    Setting{"length_penalty", [](const Value& v, GenerationConfig& c) { c.length_penalty = v.number(); }},
    Setting{"early_stopping", [](const Value& v, GenerationConfig& c) { c.early_stopping = v.early_stopping(); }},
    Setting{"num_return_sequences", [](const Value& v, GenerationConfig& c) { c.num_return_sequences = v.whole(); }},
    Setting{"bos_token_id", [](const Value& v, GenerationConfig& c) { c.bos_token_id = v.id(); }},
    Setting{"eos_token_id", [](const Value& v, GenerationConfig& c) { c.eos_token_id = v.ids(); }},
    Setting{"pad_token_id", [](const Value& v, GenerationConfig& c) { c.pad_token_id = v.id(); }},
    Setting{"decoder_start_token_id", [](const Value& v, GenerationConfig& c) { c.decoder_start_token_id = v.id(); }},
    Setting{"forced_bos_token_id", [](const Value& v, GenerationConfig& c) { c.forced_bos_token_id = v.id(); }},
    Setting{"forced_eos_token_id", [](const Value& v, GenerationConfig& c) { c.forced_eos_token_id = v.ids(); }},
};

constexpr std::array checkpoint_settings{
    Setting{"suppress_tokens", [](const Value& v, GenerationConfig& c) { c.suppress_tokens = v.ids(); }},
    Setting{"begin_suppress_tokens", [](const Value& v, GenerationConfig& c) { c.begin_suppress_tokens = v.ids(); }},
    Setting{"stop_strings", [](const Value& v, GenerationConfig& c) { c.stop_strings = v.texts(); }},
};

constexpr std::array caller_settings{
    Setting{"seed", [](const Value& v, GenerationConfig& c) { c.seed = v.whole(); }},
    Setting{"stop", [](const Value& v, GenerationConfig& c) { c.stop_strings = v.texts(); }},
    Setting{"attentions", [](const Value& v, GenerationConfig& c) { c.attentions = v.flag(); }},
    Setting{"return_scores", [](const Value& v, GenerationConfig& c) { c.return_scores = v.flag(); }},
    Setting{"return_beams", [](const Value& v, GenerationConfig& c) { c.return_beams = v.flag(); }},
    Setting{"top_candidates", [](const Value& v, GenerationConfig& c) { c.top_candidates = v.whole(); }},
};

/// The value at which a setting that is not built changes nothing. Those without one are named because config.json may hold them.
struct Unsupported {
  std::string_view name;
  double neutral = std::numeric_limits<double>::quiet_NaN();
};
constexpr std::array unsupported_settings{
    Unsupported{"diversity_penalty", 0},           Unsupported{"num_beam_groups", 1},
    Unsupported{"encoder_repetition_penalty", 1},  Unsupported{"encoder_no_repeat_ngram_size", 0},
    Unsupported{"epsilon_cutoff", 0},              Unsupported{"eta_cutoff", 0},
    Unsupported{"guidance_scale", 1},              Unsupported{"penalty_alpha", 0},
    Unsupported{"remove_invalid_values"},          Unsupported{"exponential_decay_length_penalty"},
    Unsupported{"forced_decoder_ids"},             Unsupported{"sequence_bias"},
};

/// How results are computed or returned, not which: caches, compilation, speculation (there is no assistant), and where a file is from.
constexpr std::array<std::string_view, 18> without_effect{
    "use_cache",          "cache_implementation", "cache_config",      "max_cache_len",        "return_legacy_cache",
    "low_memory",         "compile_config",       "disable_compile",   "prefill_chunk_size",   "num_assistant_tokens",
    "transformers_version", "num_assistant_tokens_schedule", "assistant_confidence_threshold", "assistant_lookbehind",
    "target_lookbehind",  "_from_model_config",   "_commit_hash",      "max_matching_ngram_size"};

bool is_without_effect(std::string_view name) {
  return name.starts_with("output_") || name.starts_with("return_dict") || std::ranges::find(without_effect, name) != without_effect.end();
}

bool is_neutral(std::string_view name, const Json& value) {
  if (value.is_null() || (value.is_bool() && !value.get_bool())) return true;
  if (value.is_array()) return value.items().empty();
  if (value.is_object()) return value.members().empty();
  const auto known = std::ranges::find(unsupported_settings, name, &Unsupported::name);
  return known != unsupported_settings.end() && value.is_number() && value.get_number() == known->neutral;
}

const Setting* find(std::span<const Setting> among, std::string_view name) {
  const auto found = std::ranges::find(among, name, &Setting::name);
  return found == among.end() ? nullptr : &*found;
}

const Setting* find(std::string_view name, Origin origin) {
  if (const Setting* common = find(settings, name)) return common;
  return origin == Origin::caller ? find(caller_settings, name) : find(checkpoint_settings, name);
}

/// Reads what is given; of the two ways to bound a length, the one given here takes the place of the other one given below.
void read(GenerationConfig& config, const Setting& setting, std::string_view name, const Json& value, Origin origin) {
  setting.read(Value(name, value, origin), config);
  if (setting.name == "max_length") config.max_new_tokens.reset();
  if (setting.name == "min_length") config.min_new_tokens.reset();
}

std::string nearest_option(std::string_view name) {
  const std::string wanted = snake_case(name.substr(0, 64));
  std::string_view nearest;
  std::size_t least = SIZE_MAX;
  for (const std::span<const Setting> group : {std::span<const Setting>(settings), std::span<const Setting>(caller_settings)}) {
    for (const Setting& setting : group) {
      const std::size_t far = edit_distance(wanted, setting.name);
      if (far < least) least = far, nearest = setting.name;
    }
  }
  return name.find('_') == std::string_view::npos ? camel_case(nearest) : std::string(nearest);
}

}  // namespace

void apply_settings(GenerationConfig& config, const Json& given) {
  std::vector<std::pair<std::string_view, Json>> members = given.members();
  // The bounds by number of new tokens win over those that count the prompt, in whatever order the file has them.
  std::ranges::stable_partition(members, [](const auto& member) { return member.first == "max_length" || member.first == "min_length"; });
  for (const auto& [name, value] : members) {
    if (is_without_effect(name)) continue;
    if (const Setting* setting = find(name, Origin::checkpoint)) {
      if (!value.is_null()) read(config, *setting, name, value, Origin::checkpoint);
    } else if (!is_neutral(name, value)) {
      config.unsupported.push_back(format("{}: {}", name, value.to_json()));
    }
  }
}

GenerationConfig read_generation_config(const Json& generation_config_json, const Json& config_json) {
  GenerationConfig config;
  if (!generation_config_json.is_null()) {
    apply_settings(config, generation_config_json);
    return config;
  }
  // Of config.json only the names that are known: the others are the model's.
  for (const std::span<const Setting> group : {std::span<const Setting>(settings), std::span<const Setting>(checkpoint_settings)}) {
    for (const Setting& setting : group) {
      if (config_json.has(setting.name)) setting.read(Value(setting.name, config_json[setting.name], Origin::checkpoint), config);
    }
  }
  for (const Unsupported& setting : unsupported_settings) {
    const Json value = config_json[setting.name];
    if (!is_neutral(setting.name, value)) config.unsupported.push_back(format("{}: {}", setting.name, value.to_json()));
  }
  return config;
}

void apply_options(GenerationConfig& config, const Json& options) {
  if (!options.is_object()) throw Error(Code::invalid_argument, "options: {} found, an object expected", options.to_json());
  std::vector<std::pair<std::string_view, Json>> members = options.members();
  const auto counts_prompt = [](const auto& member) {
    const std::string name = snake_case(member.first);
    return name == "max_length" || name == "min_length";
  };
  std::ranges::stable_partition(members, counts_prompt);
  for (const auto& [name, value] : members) {
    const Setting* setting = find(snake_case(name), Origin::caller);
    if (!setting) {
      throw Error(Code::invalid_argument, "{}: no such option; the nearest is {}", name, nearest_option(name)).with("option", name);
    }
    read(config, *setting, name, value, Origin::caller);
  }
}

}  // namespace webformer
