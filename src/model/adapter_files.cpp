// adapter_config.json and adapter_model.safetensors, as PEFT writes and reads them.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "formats/safetensors.h"
#include "model/adapter.h"
#include "model/model.h"

namespace webformer {

namespace {

constexpr std::string_view config_name = "adapter_config.json", weights_name = "adapter_model.safetensors";
constexpr std::string_view base_prefix = "base_model.model.", down_ending = ".lora_A.weight", up_ending = ".lora_B.weight";

AdapterConfig read_config(const Json& json) {
  const std::string kind = json.get_or("peft_type", "");
  if (kind != "LORA") throw Error(Code::unsupported_model, "{}: peft_type {} found, LORA expected", config_name, kind);
  for (const char* name : {"use_dora", "lora_bias", "use_qalora"}) {
    if (json.get_or(name, false)) throw Error(Code::unsupported_model, "{}: {} is not supported", config_name, name);
  }
  if (const std::string bias = json.get_or("bias", "none"); bias != "none")
    throw Error(Code::unsupported_model, "{}: bias {} found, none expected", config_name, bias);
  for (const char* name : {"rank_pattern", "alpha_pattern"}) {
    if (json.has(name) && !json[name].members().empty()) throw Error(Code::unsupported_model, "{}: {} is not supported", config_name, name);
  }
  AdapterConfig config{.rank = json["r"].get_integer(),
                       .alpha = json.has("lora_alpha") ? json["lora_alpha"].get_number() : 8,
                       .root_scaled = json.get_or("use_rslora", false)};
  constexpr std::int64_t largest_rank = 1 << 16;
  if (config.rank < 1 || config.rank > largest_rank)
    throw Error(Code::invalid_file, "{}: r {} found, 1 to {} expected", config_name, config.rank, largest_rank);
  return config;
}

/// One tensor of the file.
struct Stored {
  const TensorInfo* info;
  std::span<const std::byte> bytes;

  Array numbers() const {
    Array array(info->shape);
    to_floats(info->dtype, bytes, array.data.data());
    const auto is_finite = [](float x) { return std::isfinite(x); };
    if (!std::ranges::all_of(array.data, is_finite))
      throw Error(Code::numeric_error, "{}: a number of it is NaN or infinite", info->name).with("tensor", info->name);
    return array;
  }
};

/// By their names in the model: PEFT's prefix, and the adapter's own name in older files, are left out.
std::map<std::string, Stored> tensors_of(const TensorTable& table, std::span<const std::byte> file) {
  std::map<std::string, Stored> tensors;
  for (const TensorInfo& info : table.tensors) {
    if (!is_float(info.dtype))
      throw Error(Code::invalid_file, "{}: type {} in the file, floating-point numbers expected", info.name, name(info.dtype));
    std::string_view name = info.name;
    if (name.starts_with(base_prefix)) name.remove_prefix(base_prefix.size());
    std::string own(name);
    if (const std::size_t at = own.rfind(".default.weight"); at != std::string::npos) own.erase(at, std::string_view(".default").size());
    tensors[own] = {&info, file.subspan(std::size_t(info.begin), std::size_t(info.end - info.begin))};
  }
  return tensors;
}

/// Whether two names are of one module: one class has the base model behind a prefix, another one not.
bool is_same_module(std::string_view a, std::string_view b) {
  const auto ends = [](std::string_view whole, std::string_view end) {
    return whole.size() > end.size() && whole.ends_with(end) && whole[whole.size() - end.size() - 1] == '.';
  };
  return a == b || ends(a, b) || ends(b, a);
}

Array numbers_of(const std::map<std::string, Stored>& tensors, const std::string& name, const Shape& shape) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw Error(Code::weight_missing, "{}: {} is missing", weights_name, name);
  if (found->second.info->shape != shape)
    throw Error(Code::weight_mismatch, "{}: shape {} in the file, {} expected", name, found->second.info->shape, shape);
  return found->second.numbers();
}

void fill(AdaptedModule& module, const Array& down, const Array& up) {
  module.parts.front().change->down->fill(0, down.matrix());
  for (const AdaptedModule::Part& part : module.parts)
    for (std::size_t i = 0; i < part.rows.size(); ++i) part.change->up->fill(std::int64_t(i), up.matrix().rows_from(part.rows[i], 1));
}

Array gather(const AdaptedModule& module, const AdapterConfig& config) {
  Array up(Shape{module.out, config.rank});
  for (const AdaptedModule::Part& part : module.parts)
    for (std::size_t i = 0; i < part.rows.size(); ++i) part.change->up->row(std::int64_t(i), up.matrix().row(part.rows[i]));
  return up;
}

std::optional<std::string_view> task_type(const ModelConfig& c) {
  switch (c.head) {
    case Head::causal_lm: return c.kind == Kind::decoder ? "CAUSAL_LM" : "SEQ_2_SEQ_LM";
    case Head::sequence_classification: return "SEQ_CLS";
    case Head::token_classification: return "TOKEN_CLS";
    case Head::question_answering: return "QUESTION_ANS";
    case Head::none: return "FEATURE_EXTRACTION";
    default: return std::nullopt;
  }
}

template <class Texts>
void write_list(JsonWriter& json, std::string_view name, const Texts& texts) {
  json.key(name);
  json.begin_array();
  for (const auto& text : texts) json.value(text);
  json.end();
}

}  // namespace

Adapter read_adapter(const Model& model, const WeightPlan& layout, const Json& json, std::span<const std::byte> file) {
  Adapter adapter{.config = read_config(json)};
  const std::uint64_t start = safetensors_header_bytes(file.first(std::min<std::size_t>(file.size(), 8)), file.size(), weights_name);
  const TensorTable table = parse_safetensors_header(file.first(std::size_t(start)), file.size(), std::string(weights_name));
  const std::map<std::string, Stored> tensors = tensors_of(table, file);

  std::vector<AdaptedModule> modules = linear_modules(model, layout);
  std::vector<std::string> unknown;
  std::vector<Stored> head;
  for (const auto& [name, stored] : tensors) {
    const std::vector<WeightPlan::Stored> own = layout.stored(labelling_head);
    const auto of_head = std::ranges::find(own, name, &WeightPlan::Stored::name);
    if (of_head != own.end()) {
      if (of_head->shape != stored.info->shape)
        throw Error(Code::weight_mismatch, "{}: shape {} in the file, {} expected", name, stored.info->shape, of_head->shape);
      stored.numbers();  // all of them are finite
      head.push_back(stored);
    } else if (name.ends_with(down_ending)) {
      const std::string module_name = name.substr(0, name.size() - down_ending.size());
      const auto module = std::ranges::find_if(modules, [&](const AdaptedModule& m) { return is_same_module(m.name, module_name); });
      if (module == modules.end()) {
        unknown.push_back(module_name);
        continue;
      }
      const Array down = numbers_of(tensors, name, Shape{adapter.config.rank, module->in});
      const Array up = numbers_of(tensors, module_name + std::string(up_ending), Shape{module->out, adapter.config.rank});
      module->allocate(adapter.config);
      fill(*module, down, up);
      adapter.modules.push_back(*module);
    } else if (!name.ends_with(up_ending)) {
      unknown.push_back(name);
    }
  }
  if (!unknown.empty()) {
    throw Error(Code::weight_mismatch, "{}: this {} model has nothing that is named {}", weights_name, model.config.model_type,
                join(unknown));
  }
  if (adapter.modules.empty()) throw Error(Code::invalid_file, "{}: there is no module that it changes", weights_name);
  for (const AdaptedModule& module : adapter.modules) {
    const std::string target = module.name.substr(module.name.rfind('.') + 1);
    if (std::ranges::find(adapter.config.targets, target) == adapter.config.targets.end()) adapter.config.targets.push_back(target);
  }
  adapter.with_head = !head.empty();
  for (const Stored& stored : head) {
    TensorInfo info = *stored.info;
    if (info.name.starts_with(base_prefix)) info.name.erase(0, base_prefix.size());
    layout.refill(info, stored.bytes);
  }
  return adapter;
}

std::string adapter_config_json(const Model& model, const WeightPlan& layout) {
  const Adapter& adapter = *model.adapter;
  std::vector<std::string> targets, saved;
  const auto add = [](std::vector<std::string>& list, const std::string& name) {
    if (std::ranges::find(list, name) == list.end()) list.push_back(name);
  };
  for (const AdaptedModule& module : adapter.modules) add(targets, module.name.substr(module.name.rfind('.') + 1));
  if (adapter.with_head) {
    for (const WeightPlan::Stored& tensor : layout.stored(labelling_head)) add(saved, tensor.name.substr(0, tensor.name.find('.')));
  }

  JsonWriter json(2);
  json.begin_object();
  json.member("peft_type", "LORA");
  json.key("task_type");
  if (const auto type = task_type(model.config)) json.value(*type);
  else json.null();
  json.member("base_model_name_or_path", "");
  json.member("r", adapter.config.rank);
  json.member("lora_alpha", adapter.config.alpha);
  json.member("lora_dropout", 0);
  json.member("use_rslora", adapter.config.root_scaled);
  json.member("bias", "none");
  json.member("fan_in_fan_out", adapter.modules.front().transposed);
  json.member("inference_mode", true);
  write_list(json, "target_modules", targets);
  if (saved.empty()) {
    json.key("modules_to_save");
    json.null();
  } else {
    write_list(json, "modules_to_save", saved);
  }
  json.end();
  return std::move(json).text() + "\n";
}

std::vector<std::byte> write_adapter(const Model& model, const WeightPlan& layout) {
  const Adapter& adapter = *model.adapter;
  std::map<std::string, Array> arrays;
  for (const AdaptedModule& module : adapter.modules) {
    const std::string name = std::string(base_prefix) + module.name;
    Array down(Shape{adapter.config.rank, module.in});
    for (std::int64_t r = 0; r < adapter.config.rank; ++r) module.parts.front().change->down->row(r, down.matrix().row(r));
    arrays.emplace(name + std::string(down_ending), std::move(down));
    arrays.emplace(name + std::string(up_ending), gather(module, adapter.config));
  }
  if (adapter.with_head) {
    for (const WeightPlan::Stored& tensor : layout.stored(labelling_head))
      arrays.emplace(std::string(base_prefix) + tensor.name, layout.put_back(tensor.name, std::mem_fn(&Weight::read)));
  }
  std::vector<SafetensorsTensor> tensors;
  for (const auto& [name, array] : arrays) tensors.push_back({{name, DType::f32, array.shape}, std::as_bytes(std::span(array.data))});
  return write_safetensors(tensors, {{"format", "pt"}});
}

}  // namespace webformer
