// The speed of the kernels on one thread: GFLOP/s (GOP/s for integers) of matrix products and attention, GB/s of decoding.
// kernels [NAME...]: only the lines whose name contains one of them.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/random.h"
#include "kernels/kernels.h"
#include "kernels/quantize.h"
#include "kernels/self_test.h"

using namespace webformer;

namespace {

std::vector<float> numbers(std::int64_t count) {
  static Random random(1);
  std::vector<float> x(static_cast<std::size_t>(count));
  for (float& v : x) v = float(random.uniform() * 2 - 1);
  return x;
}

/// Called through a pointer: a kernel that the linker inlined into main would never reach V8's optimizing compiler.
using Work = std::function<void()>;

/// The best time of many short runs, in seconds a call: what other programs take from the machine is left out.
double seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9, total = 0;
  std::int64_t calls = 1;
  while (total < 0.4) {
    const auto start = Clock::now();
    for (std::int64_t i = 0; i < calls; ++i) work();
    const double taken = std::chrono::duration<double>(Clock::now() - start).count();
    total += taken;
    best = std::min(best, taken / double(calls));
    if (taken < 2e-4) calls *= 2;
  }
  return best;
}

struct Lines {
  std::vector<std::string> wanted;

  bool chosen(const std::string& name) const {
    return wanted.empty() ||
           std::any_of(wanted.begin(), wanted.end(), [&](const std::string& part) { return name.find(part) != std::string::npos; });
  }
  void measure(const std::string& name, double amount, const char* unit, const Work& work) const {
    if (!chosen(name)) return;
    const double taken = seconds(work);
    std::printf("%-44s %8.1f %-7s %10.2f us\n", name.c_str(), amount / taken * 1e-9, unit, taken * 1e6);
  }
};

struct LinearShape {
  std::int64_t rows, inputs, outputs;
};

void measure_linear(const Lines& lines) {
  // MiniLM at 128 tokens; LLaMA 134 M: prefill and decoding.
  constexpr LinearShape shapes[] = {{128, 384, 384}, {128, 384, 1536}, {128, 1536, 384}, {128, 768, 2048},
                                    {1, 1536, 384},  {1, 768, 2048},   {1, 768, 32000},  {4, 768, 2048}};
  for (WeightType type : {WeightType::f32, WeightType::f16, WeightType::int8, WeightType::int4}) {
    for (const auto [rows, inputs, outputs] : shapes) {
      const std::string name = "linear " + std::string(webformer::name(type)) + " " + std::to_string(rows) + "x" + std::to_string(inputs) +
                               "x" + std::to_string(outputs);
      if (!lines.chosen(name)) continue;
      const std::vector<float> w = numbers(outputs * inputs), x = numbers(rows * inputs), bias = numbers(outputs);
      std::vector<float> y(std::size_t(rows * outputs));
      PackedWeights packed(type, outputs, inputs);
      packed.fill(0, ConstMatrix(w.data(), outputs, inputs));
      Workspace workspace;
      const auto work = [&] {
        linear(ConstMatrix(x.data(), rows, inputs), packed, bias.data(), Matrix(y.data(), rows, outputs), workspace);
      };
      if (rows == 1) {
        lines.measure(name, double(packed.bytes()), "GB/s", work);
      } else {
        lines.measure(name, 2.0 * double(rows * inputs * outputs), "GFLOP/s", work);
      }
    }
  }
}

struct AttentionShape {
  std::int64_t queries, keys;
  int heads, kv_heads, size;
  bool causal;
};

void measure_attention(const Lines& lines) {
  constexpr AttentionShape shapes[] = {{128, 128, 12, 12, 32, false}, {128, 128, 12, 4, 64, true}, {1024, 1024, 12, 12, 64, true},
                                       {1, 128, 12, 4, 64, true},     {1, 1024, 12, 4, 64, true},  {1, 1024, 12, 12, 64, true}};
  for (const auto [queries, keys, heads, kv_heads, size, causal] : shapes) {
    const std::vector<float> q = numbers(queries * heads * size), k = numbers(keys * kv_heads * size), v = numbers(keys * kv_heads * size);
    std::vector<float> y(q.size());
    const float *key = k.data(), *value = v.data();
    AttentionArgs args;
    args.query = ConstMatrix(q.data(), queries, heads * size);
    args.output = Matrix(y.data(), queries, heads * size);
    args.memory = {&key, &value, keys, keys, std::int64_t(kv_heads) * size};
    args.heads = heads;
    args.kv_heads = kv_heads;
    args.head_size = size;
    args.scale = 0.1f;
    args.causal = causal;
    args.offset = keys - queries;
    Workspace workspace;
    const double seen = causal ? double(queries) * double(keys) - 0.5 * double(queries * queries) : double(queries * keys);
    const std::string name = "attention " + std::to_string(queries) + "x" + std::to_string(keys) + " heads " + std::to_string(heads) + "/" +
                             std::to_string(kv_heads) + " of " + std::to_string(size) + (causal ? " causal" : "");
    lines.measure(name, 4 * seen * heads * size, "GFLOP/s", [&] { attention(args, workspace); });
  }
}

void measure_rows(const Lines& lines) {
  constexpr std::int64_t rows = 128, cols = 1536;
  std::vector<float> x = numbers(rows * cols), y(x.size()), w = numbers(cols);
  const std::vector<float> original = x;
  const Matrix m(x.data(), rows, cols), out(y.data(), rows, cols);
  const double count = double(rows * cols);
  const auto restore = [&] { std::memcpy(x.data(), original.data(), x.size() * sizeof(float)); };
  lines.measure("copy", count, "G/s", restore);
  lines.measure("gelu", count, "G/s", [&] { restore(), activate(Activation::gelu, m); });
  lines.measure("gelu_tanh", count, "G/s", [&] { restore(), activate(Activation::gelu_tanh, m); });
  lines.measure("silu", count, "G/s", [&] { restore(), activate(Activation::silu, m); });
  lines.measure("softmax", count, "G/s", [&] { restore(), softmax(m); });
  lines.measure("layer_norm", count, "G/s", [&] { layer_norm(m, w.data(), w.data(), 1e-5f, out); });
  lines.measure("rms_norm", count, "G/s", [&] { rms_norm(m, w.data(), 0, 1e-5f, out); });
  lines.measure("argmax", count, "G/s", [&] { y[0] += float(argmax(x)); });
  std::vector<std::int16_t> q(x.size());
  lines.measure("quantize_bulk", count, "G/s", [&] {
    for (std::size_t i = 0; i < x.size(); i += 384) quantize_bulk(x.data() + i, 384, q.data() + i);
  });
  std::vector<std::int32_t> positions(rows);
  for (std::int32_t t = 0; t < rows; ++t) positions[std::size_t(t)] = t;
  const std::vector<float> frequencies = numbers(32);
  for (const RopeLayout layout : {RopeLayout::half, RopeLayout::interleaved}) {
    lines.measure(layout == RopeLayout::half ? "rope half" : "rope interleaved", count, "G/s",
                  [&] { rope(m, cols / 64, 64, 64, layout, positions.data(), frequencies.data(), 1); });
  }
}

}  // namespace

int main(int count, char** names) {
  const Lines lines{{names + 1, names + count}};
  if (!simd_self_test()) {
    std::printf("the self-test of the SIMD kernels fails here: the figures below are of wrong results\n");
  }
  measure_linear(lines);
  measure_attention(lines);
  measure_rows(lines);
}
