#pragma once
// One file of golden/modules: PyTorch's outputs and gradients of layers and small models, and its README's bounds. The folder may be
// another one of the same make, named by WEBFORMER_MODULES: sizes and the names of cases are read, not known.

#ifdef WEBFORMER_SHARED_DIR

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "formats/json.h"
#include "model/loader.h"
#include "model/tape.h"
#include "model/weight_plan.h"
#include "support/golden.h"

namespace webformer::modules {

class Module {
 public:
  static bool exists(const std::string& name);
  explicit Module(const std::string& name);
  /// Reports how many expected tensors were compared, and what was left out; one that is neither is a failure.
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::vector<std::string> cases() const;
  Json about(const std::string& of_case) const { return about_.root()["cases"][of_case]; }
  bool has(const std::string& tensor) const { return tensors_.contains(tensor); }
  const golden::Tensor& tensor(const std::string& name) const;
  const std::map<std::string, golden::Tensor>& tensors() const { return tensors_; }

  /// |got - want| <= 1e-6 + 1e-5 * max_abs + 8 * float32_error; whole numbers are equal.
  void compare(const std::string& tensor, std::span<const float> got);
  /// The same with a bound of its own, as a share of the largest expected number.
  void compare_within(const std::string& tensor, std::span<const float> got, double share);
  /// The tensors of a case of which nothing is built here: they are not expected.
  void leave_out(const std::string& of_case) { left_out_.insert(of_case); }

 private:
  void compare_by(const std::string& tensor, std::span<const float> got, double allowed);
  bool is_left_out(const std::string& tensor) const;

  std::string name_;
  std::map<std::string, golden::Tensor> tensors_;
  JsonDocument about_;
  std::set<std::string> compared_, left_out_;
};

/// The tensors of one case.
class Case {
 public:
  Case(Module& module, std::string name) : module_(module), name_(std::move(name)), prefix_(name_.empty() ? "" : name_ + ".") {}

  const std::string& name() const { return name_; }
  Json about() const { return module_.about(name_); }
  bool has_input(const std::string& name) const { return module_.has("in." + prefix_ + name); }
  bool has_weight(const std::string& name) const { return module_.has("w." + prefix_ + name); }
  bool expects(const std::string& name) const { return module_.has("out." + prefix_ + name); }
  bool expects_gradient(const std::string& name) const { return module_.has("grad." + prefix_ + name); }
  const Shape& shape(const std::string& input) const { return module_.tensor("in." + prefix_ + input).shape; }

  Array input(const std::string& name) const { return floats("in." + prefix_ + name); }
  Array weight(const std::string& name) const { return floats("w." + prefix_ + name); }
  std::vector<std::int32_t> ids(const std::string& name) const;
  /// The gradient of an output, zeros where the scalar that was differentiated does not have it.
  Array cotangent(const std::string& output) const;

  void output(const std::string& name, const Array& got) { module_.compare("out." + prefix_ + name, got.data); }
  void output(const std::string& name, std::span<const float> got) { module_.compare("out." + prefix_ + name, got); }
  void output(const std::string& name, double got) { output(name, Array(Shape{}, {float(got)})); }
  void gradient(const std::string& name, const Array& got) { module_.compare("grad." + prefix_ + name, got.data); }
  void gradient(const std::string& name, std::span<const float> got) { module_.compare("grad." + prefix_ + name, got); }

  /// Binds a plan to the case's weights and fills it. `before` is put before their names.
  void fill(WeightPlan& plan, const std::string& before = "") const;
  /// The same by a model's loader, whose names are those of a checkpoint.
  void fill(ModelLoader& loader) const;
  /// Compares the gradients of all weights of a plan with the case's.
  void gradients(const WeightPlan& plan, Gradients& got, const std::string& before = "");
  Module& module() const { return module_; }

 private:
  Array floats(const std::string& name) const;
  /// All weights as one file.
  struct File {
    TensorTable table;
    std::vector<float> numbers;
  };
  File weights_file(const std::string& before) const;

  Module& module_;
  std::string name_, prefix_;
};

/// Calls check(case) for each case of a file; a folder may lack the file.
template <class Check>
void each_case(const std::string& file, Check check) {
  if (!Module::exists(file)) {
    MESSAGE(file << ": not in this folder");
    return;
  }
  Module module(file);
  for (const std::string& name : module.cases()) {
    CAPTURE(name);
    Case c(module, name);
    check(c);
  }
}

/// All weights of a plan are learned.
void learn_all(const WeightPlan& plan, Gradients& gradients);

}  // namespace webformer::modules

#endif
