#include "model/adapter.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/linears.h"

namespace webformer {

namespace {

/// "c_attn" of "transformer.h.0.attn.c_attn".
std::string_view last_part(std::string_view module) { return module.substr(module.rfind('.') + 1); }

bool is_target(const AdaptedModule& module, const std::string& target) {
  const std::string_view name = module.name;
  return name == target || (name.ends_with(target) && name[name.size() - target.size() - 1] == '.');
}

bool holds_query_or_value(const AdaptedModule& module) {
  return std::ranges::any_of(module.parts, [](const AdaptedModule::Part& part) {
    return part.base.name.ends_with("attention.query.weight") || part.base.name.ends_with("attention.value.weight");
  });
}

void choose(std::vector<AdaptedModule>& modules, const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    if (std::ranges::any_of(modules, [&](const AdaptedModule& module) { return is_target(module, target); })) continue;
    std::vector<std::string> known;
    for (const AdaptedModule& module : modules) known.emplace_back(last_part(module.name));
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw Error(Code::invalid_argument, "targets: {} found, which no linear module is named; there are {}", target, join(known));
  }
  std::erase_if(modules, [&](const AdaptedModule& module) {
    if (targets.empty()) return !holds_query_or_value(module);
    return std::ranges::none_of(targets, [&](const std::string& target) { return is_target(module, target); });
  });
}

}  // namespace

float AdapterConfig::scale() const noexcept { return float(alpha / (root_scaled ? std::sqrt(double(rank)) : double(rank))); }

std::vector<AdaptedModule> linear_modules(const Model& model, const WeightPlan& layout) {
  std::vector<AdaptedModule> modules;
  each_linear(model, [&](const Linear& linear) {
    const auto weight = std::ranges::find(model.weights, linear.weight, &Weight::matrix);
    const auto place = layout.place_of(*linear.weight, model.config.head != Head::none);
    if (weight == model.weights.end() || !place) return;
    auto module = std::ranges::find(modules, place->module, &AdaptedModule::name);
    if (module == modules.end()) {
      module = modules.insert(
          module, {.name = place->module, .in = linear.weight->cols(), .out = place->rows, .transposed = place->transposed});
    }
    module->parts.push_back({.base = *weight, .rows = place->row, .change = nullptr});
  });
  return modules;
}

std::vector<Weight> Adapter::weights() const {
  std::vector<Weight> result;
  const auto name = [](const Weight& base, std::string_view which) {
    return base.name.substr(0, base.name.rfind('.') + 1) + std::string(which);
  };
  for (const AdaptedModule& module : modules) {
    result.push_back({name(module.parts.front().base, "lora_A"), module.parts.front().change->down, nullptr});
    for (const AdaptedModule::Part& part : module.parts) result.push_back({name(part.base, "lora_B"), part.change->up, nullptr});
  }
  return result;
}

void AdaptedModule::allocate(const AdapterConfig& config) {
  const auto down = std::make_shared<PackedWeights>(WeightType::f32, config.rank, in);
  for (Part& part : parts) {
    const auto up = std::make_shared<PackedWeights>(WeightType::f32, std::int64_t(part.rows.size()), config.rank);
    part.change = std::make_shared<const LowRank>(LowRank{down, up, config.scale()});
  }
}

Adapter make_adapter(const Model& model, const WeightPlan& layout, AdapterConfig config, std::uint64_t seed) {
  Adapter adapter{.config = std::move(config), .modules = linear_modules(model, layout)};
  choose(adapter.modules, adapter.config.targets);
  adapter.with_head = model.heads.classifier.has_value();
  Random random(seed);
  std::vector<float> row;
  for (AdaptedModule& module : adapter.modules) {
    module.allocate(adapter.config);
    const double bound = 1 / std::sqrt(double(module.in));
    row.resize(std::size_t(module.in));
    for (std::int64_t r = 0; r < adapter.config.rank; ++r) {
      for (float& x : row) x = float(bound * (2 * random.uniform() - 1));
      module.parts.front().change->down->fill(r, ConstMatrix(row.data(), 1, module.in));
    }
  }
  return adapter;
}

std::shared_ptr<const Model> with_adapter(const Model& model, std::shared_ptr<const Adapter> adapter) {
  auto changed = std::make_shared<Model>(model);
  std::map<const PackedWeights*, std::shared_ptr<const LowRank>> changes;
  if (adapter) {
    for (const AdaptedModule& module : adapter->modules)
      for (const AdaptedModule::Part& part : module.parts) changes[part.base.matrix.get()] = part.change;
  }
  each_linear(*changed, [&](Linear& linear) {
    const auto change = changes.find(linear.weight.get());
    linear.adapter = change == changes.end() ? nullptr : change->second;
  });
  changed->adapter = std::move(adapter);
  return changed;
}

std::shared_ptr<const Model> with_adapter_merged(const Model& model) {
  for (const AdaptedModule& module : model.adapter->modules) {
    for (const AdaptedModule::Part& part : module.parts) {
      PackedWeights& weights = *part.base.matrix;
      if (weights.type() != WeightType::f32 && weights.type() != WeightType::f16) weights = widened(std::move(weights));
    }
  }
  std::vector<float> row;
  for (const AdaptedModule& module : model.adapter->modules) {
    row.resize(std::size_t(module.in));
    for (const AdaptedModule::Part& part : module.parts) {
      for (std::int64_t i = 0; i < part.base.matrix->rows(); ++i) {
        part.base.matrix->row(i, row.data());
        part.change->add_row(i, row.data());
        part.base.matrix->fill(i, ConstMatrix(row.data(), 1, module.in));
      }
    }
  }
  return with_adapter(model, nullptr);
}

void add_change(const Adapter* adapter, const Weight& weight, std::int64_t row, float* out) {
  if (!adapter || !weight.matrix) return;
  for (const AdaptedModule& module : adapter->modules) {
    for (const AdaptedModule::Part& part : module.parts)
      if (part.base.matrix == weight.matrix) part.change->add_row(row, out);
  }
}

}  // namespace webformer
