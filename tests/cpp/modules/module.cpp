#include "modules/module.h"

#ifdef WEBFORMER_SHARED_DIR

#include <algorithm>
#include <cstdlib>

namespace webformer::modules {

namespace {

std::string path_of(const std::string& name) {
  const char* folder = std::getenv("WEBFORMER_MODULES");
  return (folder ? std::string(folder) : std::string("golden/modules")) + "/" + name;
}

}  // namespace

bool Module::exists(const std::string& name) { return golden::exists(path_of(name + ".json")); }

Module::Module(const std::string& name)
    : name_(name), tensors_(golden::read_safetensors(path_of(name + ".safetensors"))), about_(golden::read_json(path_of(name + ".json"))) {}

Module::~Module() {
  std::vector<std::string> missing;
  std::size_t expected = 0, left_out = 0;
  for (const auto& [tensor, numbers] : tensors_) {
    if (!tensor.starts_with("out.") && !tensor.starts_with("grad.")) continue;
    if (is_left_out(tensor)) {
      ++left_out;
      continue;
    }
    ++expected;
    if (!compared_.contains(tensor)) missing.push_back(tensor);
  }
  MESSAGE(name_ << ": " << expected - missing.size() << " of " << expected << " tensors compared");
  if (left_out > 0)
    MESSAGE(name_ << ": " << left_out << " left out, of " << join(std::vector<std::string>(left_out_.begin(), left_out_.end())));
  for (const std::string& tensor : missing) FAIL_CHECK(name_ << ": nothing computed " << tensor);
}

bool Module::is_left_out(const std::string& tensor) const {
  return std::ranges::any_of(left_out_, [&](const std::string& of_case) { return tensor.find("." + of_case + ".") != std::string::npos; });
}

std::vector<std::string> Module::cases() const {
  std::vector<std::string> names;
  for (const auto& [name, about] : about_.root()["cases"].members()) names.emplace_back(name);
  return names;
}

const golden::Tensor& Module::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw std::runtime_error(name_ + " has no " + name);
  return found->second;
}

void Module::compare(const std::string& tensor, std::span<const float> got) {
  const Json about = about_.root()["tensors"][tensor];
  compare_by(tensor, got, about.has("max_abs") ? 1e-6 + 1e-5 * about["max_abs"].get_number() + 8 * about.get_or("float32_error", 0.0) : 0);
}

void Module::compare_within(const std::string& tensor, std::span<const float> got, double share) {
  double largest = 0;
  for (const double x : this->tensor(tensor).data) largest = std::max(largest, std::abs(x));
  compare_by(tensor, got, 1e-6 + share * largest);
}

void Module::compare_by(const std::string& tensor, std::span<const float> got, double allowed) {
  const std::vector<double>& want = this->tensor(tensor).data;
  compared_.insert(tensor);
  if (got.size() != want.size()) {
    FAIL_CHECK(tensor << ": " << got.size() << " numbers, " << want.size() << " expected");
    return;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(double(got[i]) == want[i] || std::abs(got[i] - want[i]) <= allowed)) {
      FAIL_CHECK(tensor << "[" << i << "] is " << got[i] << ", " << want[i] << " +- " << allowed << " expected");
      return;
    }
  }
  CHECK(got.size() == want.size());  // counted as one comparison
}

std::vector<std::int32_t> Case::ids(const std::string& name) const {
  const std::vector<double>& numbers = module_.tensor("in." + prefix_ + name).data;
  return {numbers.begin(), numbers.end()};
}

Array Case::cotangent(const std::string& output) const {
  const std::string name = "in." + prefix_ + "cotangent." + output;
  return module_.has(name) ? floats(name) : Array(module_.tensor("out." + prefix_ + output).shape);
}

Array Case::floats(const std::string& name) const {
  const golden::Tensor& tensor = module_.tensor(name);
  return {tensor.shape, {tensor.data.begin(), tensor.data.end()}};
}

Case::File Case::weights_file(const std::string& before) const {
  const std::string start = "w." + prefix_;
  std::vector<TensorInfo> tensors;
  File file;
  for (const auto& [name, tensor] : module_.tensors()) {
    if (!name.starts_with(start)) continue;
    const std::uint64_t begin = file.numbers.size() * sizeof(float);
    file.numbers.insert(file.numbers.end(), tensor.data.begin(), tensor.data.end());
    tensors.push_back({before + name.substr(start.size()), DType::f32, tensor.shape, begin, file.numbers.size() * sizeof(float)});
  }
  file.table = TensorTable(name_, tensors, {}, 0, file.numbers.size() * sizeof(float));
  return file;
}

void Case::fill(WeightPlan& plan, const std::string& before) const {
  const File file = weights_file(before);
  plan.bind(file.table, WeightPolicy::f32);
  const auto bytes = std::as_bytes(std::span(file.numbers));
  for (const TensorInfo& tensor : file.table.tensors)
    if (plan.wants(tensor.name)) plan.fill(tensor, bytes.subspan(tensor.begin, tensor.end - tensor.begin));
  plan.finish();
  CHECK(plan.unused == std::vector<std::string>{});
}

void Case::fill(ModelLoader& loader) const {
  const File file = weights_file("");
  loader.bind(file.table, true);
  const auto bytes = std::as_bytes(std::span(file.numbers));
  for (const TensorInfo& tensor : file.table.tensors)
    if (loader.wants(tensor.name)) loader.fill(tensor, bytes.subspan(tensor.begin, tensor.end - tensor.begin));
}

void Case::gradients(const WeightPlan& plan, Gradients& got, const std::string& before) {
  const auto tensors = plan.put_back([&](const Weight& weight, std::int64_t row, float* out) {
    if (weight.matrix) got.of(*weight.matrix)->row(row, out);
    else std::copy_n(got.of(*weight.vector), weight.vector->size(), out);
  });
  for (const auto& [name, numbers] : tensors)
    if (expects_gradient(name.substr(before.size()))) gradient(name.substr(before.size()), numbers);
}

void learn_all(const WeightPlan& plan, Gradients& gradients) {
  for (const Weight& weight : plan.weights()) weight.matrix ? gradients.add(*weight.matrix) : gradients.add(*weight.vector);
}

}  // namespace webformer::modules

#endif
