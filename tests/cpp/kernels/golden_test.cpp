// The kernels against PyTorch's numbers in golden/modules, within the tolerance of its README.

#ifdef WEBFORMER_SHARED_DIR

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/kernels.h"
#include "support.h"
#include "support/golden.h"

using namespace webformer;

namespace {

/// One file of golden/modules.
class Goldens {
 public:
  explicit Goldens(const std::string& name)
      : tensors_(golden::read_safetensors("golden/modules/" + name + ".safetensors")),
        about_(golden::read_json("golden/modules/" + name + ".json")) {}

  bool has(const std::string& name) const { return tensors_.contains(name); }
  const Shape& shape(const std::string& name) const { return tensors_.at(name).shape; }
  std::vector<float> floats(const std::string& name) const { return {tensors_.at(name).data.begin(), tensors_.at(name).data.end()}; }
  Json about(const std::string& of_case) const { return about_.root()["cases"][of_case]; }

  /// |got - want| <= 1e-6 + 1e-5 * max_abs + 8 * float32_error
  void compare(const std::string& name, const std::vector<float>& got) const {
    const std::vector<float> want = floats(name);
    const Json about = about_.root()["tensors"][name];
    const double allowed = 1e-6 + 1e-5 * about["max_abs"].get_number() + 8 * about["float32_error"].get_number();
    CAPTURE(name);
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (!(got[i] == want[i] || std::abs(double(got[i]) - want[i]) <= allowed)) {
        FAIL_CHECK(name << "[" << i << "] is " << got[i] << ", " << want[i] << " +- " << allowed << " expected");
        return;
      }
    }
  }

 private:
  std::map<std::string, golden::Tensor> tensors_;
  JsonDocument about_;
};

/// [H, N, d] of one batch item as [N, H * D], each head filled up with zeros.
std::vector<float> side_by_side(const float* x, std::int64_t heads, std::int64_t rows, std::int64_t size, std::int64_t padded,
                                float factor = 1) {
  std::vector<float> y(std::size_t(rows * heads * padded));
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < size; ++j) y[std::size_t((i * heads + h) * padded + j)] = x[(h * rows + i) * size + j] * factor;
  return y;
}

struct AttentionCase {
  std::string q, k, v, mask, bias, out, weights;  ///< names of tensors; a mask, a bias and weights need not be there
  Json about;
};

/// Runs a case with and without weights, as the two take different ways.
void check_attention(const Goldens& goldens, const AttentionCase& names, float query_factor) {
  CAPTURE(names.out);
  const Shape &q_shape = goldens.shape(names.q), &k_shape = goldens.shape(names.k), &v_shape = goldens.shape(names.v);
  const std::int64_t batch = q_shape[0], heads = q_shape[1], queries = q_shape[2], keys = k_shape[2], size = k_shape[3],
                     value_size = v_shape[3];
  const std::int64_t padded = std::max(size, value_size);
  const std::vector<float> q = goldens.floats(names.q), k = goldens.floats(names.k), v = goldens.floats(names.v);
  const std::string causal = names.about["causal"].is_string() ? std::string(names.about["causal"].get_string()) : "";

  for (const bool with_weights : {false, true}) {
    std::vector<float> out, all_weights;
    for (std::int64_t b = 0; b < batch; ++b) {
      const std::vector<float> query = side_by_side(q.data() + b * heads * queries * size, heads, queries, size, padded, query_factor);
      const std::vector<float> key = side_by_side(k.data() + b * heads * keys * size, heads, keys, size, padded);
      const std::vector<float> value = side_by_side(v.data() + b * heads * keys * value_size, heads, keys, value_size, padded);
      std::vector<float> output(query.size()), weights(std::size_t(heads * queries * keys)), bias;
      const float *key_block = key.data(), *value_block = value.data();
      AttentionArgs args;
      args.query = ConstMatrix(query.data(), queries, heads * padded);
      args.output = Matrix(output.data(), queries, heads * padded);
      args.memory = {&key_block, &value_block, keys, keys, heads * padded};
      args.heads = args.kv_heads = int(heads);
      args.head_size = int(padded);
      args.scale = float(names.about.get_or("scale_value", 1 / std::sqrt(double(size))));
      args.causal = !causal.empty();
      args.offset = causal == "bottom_right" ? keys - queries : 0;
      if (with_weights) args.weights = weights.data();
      std::vector<std::uint8_t> mask;
      if (goldens.has(names.mask)) {  // [B,1,T,S], [B,1,1,S] or [S]
        const std::vector<float> numbers = goldens.floats(names.mask);
        const std::int64_t rows = std::int64_t(numbers.size()) / keys / (goldens.shape(names.mask).rank() > 1 ? batch : 1);
        const std::int64_t first = goldens.shape(names.mask).rank() > 1 ? b * rows : 0;
        for (std::int64_t t = 0; t < queries; ++t)
          for (std::int64_t s = 0; s < keys; ++s) mask.push_back(numbers[std::size_t((first + (rows > 1 ? t : 0)) * keys + s)] != 0);
        args.mask = mask.data();
      }
      if (goldens.has(names.bias)) {
        bias = goldens.floats(names.bias);
        args.bias = bias.data();
        args.bias_heads = int(heads);
      }
      Workspace workspace;
      attention(args, workspace);
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t t = 0; t < queries; ++t)
          for (std::int64_t j = 0; j < value_size; ++j) out.push_back(output[std::size_t((t * heads + h) * padded + j)]);
      all_weights.insert(all_weights.end(), weights.begin(), weights.end());
    }
    goldens.compare(names.out, out);
    if (with_weights && goldens.has(names.weights)) goldens.compare(names.weights, all_weights);
  }
}

}  // namespace

TEST_CASE("attention gives PyTorch's numbers: masks, causality, padding, bias, rows that see nothing, large scores") {
  const Goldens goldens("02_attention");
  for (const char* name : {"plain", "custom_scale", "boolean_mask", "causal", "causal_cache", "causal_top_left", "padding",
                           "causal_padding", "causal_left_padding", "bias", "masked_row", "masked_item", "large_scores"}) {
    const std::string in = std::string("in.") + name + ".", out = std::string("out.") + name + ".";
    check_attention(goldens, {in + "q", in + "k", in + "v", in + "mask", in + "bias", out + "out", out + "weights", goldens.about(name)},
                    1);
  }
}

TEST_CASE("attention gives PyTorch's numbers at lengths that do not fit tiles") {
  const Goldens goldens("15_flash_attention");
  for (const char* name : {"full", "causal", "causal_top_left", "padding", "late_keys", "large", "none"}) {
    const std::string mask = std::string("in.") + name + ".key_mask", out = std::string("out.") + name + ".out";
    const float factor = float(goldens.about(name)["q_factor"].get_number());
    check_attention(goldens, {"in.q", "in.k", "in.v", mask, "", out, "", goldens.about(name)}, factor);
  }
}

TEST_CASE("activations give PyTorch's numbers") {
  const Goldens goldens("04_ffn");
  const std::pair<const char*, Activation> activations[] = {{"relu", Activation::relu},           {"gelu", Activation::gelu},
                                                            {"gelu_tanh", Activation::gelu_tanh}, {"silu", Activation::silu},
                                                            {"tanh", Activation::tanh},           {"sigmoid", Activation::sigmoid}};
  for (const auto& [name, activation] : activations) {
    std::vector<float> x = goldens.floats("in.activations.x");
    activate(activation, Matrix(x.data(), 1, std::int64_t(x.size())));
    goldens.compare(std::string("out.activations.") + name, x);
  }
}

TEST_CASE("rope gives PyTorch's numbers in both layouts, with an offset and for a part of the head") {
  const Goldens goldens("05_positions");
  for (const char* name :
       {"rope_interleaved", "rope_interleaved_offset", "rope_interleaved_partial", "rope_half", "rope_half_offset", "rope_half_partial"}) {
    const Json about = goldens.about(name);
    const int rotated = int(about["rotary_dim"].get_integer());
    const RopeLayout layout = about["layout"].get_string() == "half" ? RopeLayout::half : RopeLayout::interleaved;
    std::vector<float> frequencies;
    for (int i = 0; i < rotated / 2; ++i) frequencies.push_back(float(std::pow(about["base"].get_number(), -2.0 * i / rotated)));
    const std::vector<float> places = goldens.floats(std::string("in.") + name + ".positions");
    const std::vector<std::int32_t> positions(places.begin(), places.end());
    for (const char* which : {".q", ".k"}) {
      const Shape& shape = goldens.shape(std::string("in.") + name + which);  // [B,H,T,D]: one head a row
      std::vector<float> x = goldens.floats(std::string("in.") + name + which);
      const std::int64_t length = shape[2] * shape[3];
      for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) {
        const Matrix head(x.data() + i * length, shape[2], shape[3]);
        rope(head, 1, int(shape[3]), rotated, layout, positions.data(), frequencies.data(), 1);
      }
      goldens.compare(std::string("out.") + name + which, x);
    }
  }
}

TEST_CASE("norms give PyTorch's numbers") {
  const Goldens goldens("06_blocks");
  for (const char* name : {"layer_norm", "layer_norm_small", "layer_norm_eps_1e-12", "layer_norm_large_mean", "layer_norm_constant_row",
                           "layer_norm_eps_outside", "rms_norm", "rms_norm_small"}) {
    const std::string prefix = std::string("w.") + name;
    std::vector<float> x = goldens.floats(std::string("in.") + name + ".x");
    const std::vector<float> weight = goldens.floats(prefix + ".weight");
    const std::int64_t width = std::int64_t(weight.size());
    const Matrix rows(x.data(), std::int64_t(x.size()) / width, width);
    const float epsilon = float(goldens.about(name)["eps"].get_number());
    if (goldens.has(prefix + ".bias")) {
      const std::vector<float> bias = goldens.floats(prefix + ".bias");
      const bool outside = std::string(name) == "layer_norm_eps_outside";
      layer_norm(rows, weight.data(), bias.data(), epsilon, rows, outside ? EpsilonPlace::deviation : EpsilonPlace::variance);
    } else {
      rms_norm(rows, weight.data(), 0, epsilon, rows);
    }
    goldens.compare(std::string("out.") + name + ".out", x);
  }
}

TEST_CASE("softmax and log softmax give PyTorch's numbers") {
  const Goldens goldens("13_softmax_loss");
  for (const char* name : {"softmax_plain", "softmax_large", "softmax_minus_inf"}) {
    const Shape& shape = goldens.shape(std::string("in.") + name + ".x");
    std::vector<float> x = goldens.floats(std::string("in.") + name + ".x"), log_x = x;
    softmax(Matrix(x.data(), shape[0], shape[1]));
    goldens.compare(std::string("out.") + name + ".softmax", x);
    if (!goldens.has(std::string("out.") + name + ".log_softmax")) continue;
    log_softmax(Matrix(log_x.data(), shape[0], shape[1]));
    goldens.compare(std::string("out.") + name + ".log_softmax", log_x);
  }
}

#endif
