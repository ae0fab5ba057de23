#include "wasm/word_vector_files.h"

#include "formats/word_vectors.h"
#include "wasm/guard.h"
#include "wasm/staged_floats.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

val read_word_vectors(std::size_t length, std::string file) {
  return guarded([&] {
    const WordVectors vectors = parse_word_vectors(Staging::text(length), file);
    Staging::shrink();
    val result = val::object();
    result.set("words", to_js(vectors.words));
    result.set("vectors", to_js(vectors.vectors));
    return result;
  });
}

val save_word_vectors(val lengths, std::size_t dimensions) {
  return guarded([&] {
    const std::vector<std::int32_t> sizes = ids_from_js(lengths);
    WordVectors vectors{.words = {}, .vectors = Array(Shape{std::int64_t(sizes.size()), std::int64_t(dimensions)})};
    std::size_t total = vectors.vectors.data.size() * sizeof(float);
    std::copy_n(StagedFloats().take(vectors.vectors.size()), vectors.vectors.data.size(), vectors.vectors.data.data());
    for (const std::int32_t size : sizes) {
      vectors.words.emplace_back(Staging::text(total + std::size_t(size)).substr(total));
      total += std::size_t(size);
    }
    Staging::shrink();
    return to_js(write_word_vectors(vectors));
  });
}

}  // namespace webformer
