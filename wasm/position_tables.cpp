#include "wasm/position_tables.h"

#include <cmath>

#include "formats/json.h"
#include "model/stack.h"
#include "wasm/guard.h"
#include "wasm/memory_limit.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

Array rope_table(std::int64_t length, std::int64_t width, double base) {
  const std::int64_t pairs = width / 2;
  Array table = checked_array({2, length, pairs});
  for (std::int64_t i = 0; i < length * pairs; ++i) {
    const double angle = double(i / pairs) * std::pow(base, -2.0 * double(i % pairs) / double(width));
    table.data[std::size_t(i)] = float(std::cos(angle));
    table.data[std::size_t(length * pairs + i)] = float(std::sin(angle));
  }
  return table;
}

Array alibi_table(std::int64_t length, int heads) {
  constexpr float max_bias = 8;
  const std::vector<float> slopes = alibi_slopes(heads, max_bias);
  Array table = checked_array({heads, length, length});
  float* bias = table.data.data();
  for (const float slope : slopes)
    for (std::int64_t t = 0; t < length; ++t)
      for (std::int64_t s = 0; s < length; ++s) *bias++ = -slope * float(std::abs(t - s));
  return table;
}

Array bucket_table(std::int64_t length, int buckets, int max_distance) {
  Array table = checked_array({length, length});
  for (std::int64_t t = 0; t < length; ++t)
    for (std::int64_t s = 0; s < length; ++s)
      table.matrix().at(t, s) = float(relative_bucket(s - t, true, buckets, max_distance));
  return table;
}

}  // namespace

val position_table(std::string kind, std::string options) {
  return guarded([&] {
    const JsonDocument document = JsonDocument::parse(options, "positionalEncoding");
    const Json json = document.root();
    const std::int64_t length = json["length"].get_integer();
    if (kind == "alibi") return to_js(alibi_table(length, int(json["heads"].get_integer())));
    if (kind == "t5") {
      return to_js(bucket_table(length, int(json["buckets"].get_integer()), int(json["maxDistance"].get_integer())));
    }
    const std::int64_t width = json["width"].get_integer();
    if (kind == "rope") return to_js(rope_table(length, width, json["base"].get_number()));
    check_room({length, width});
    return to_js(sinusoidal_table(length, int(width), SinusoidLayout::interleaved));
  });
}

}  // namespace webformer
