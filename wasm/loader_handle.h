#pragma once
// Loading a checkpoint from JavaScript, which reads the files: small ones whole, weights in pieces, each through Staging.

#include <emscripten/val.h>

#include <memory>
#include <optional>
#include <string>

#include "decoding/config.h"
#include "formats/json.h"
#include "formats/shard_index.h"
#include "formats/tensor_stream.h"
#include "model/loader.h"
#include "text/text.h"

namespace webformer {

/// Calls come in this order: config (not for a GGUF file, which has its own), generation_config if there is one, shards if there are
/// several files; then for each file of weights open, push for each piece, close; then finish. Or randomize in place of the files.
class LoaderHandle {
 public:
  /// dtype: that of LoadOptions.
  explicit LoaderHandle(std::string dtype);

  emscripten::val config(std::size_t length);
  /// After config: a new head for {task, labels, seed}, staged as JSON, in the place of what the files have.
  emscripten::val new_head(std::size_t length);
  emscripten::val generation_config(std::size_t length);
  /// model.safetensors.index.json: returns the names of the files, in the order in which they are to be opened.
  emscripten::val shards(std::size_t length);
  emscripten::val open(std::string name, double size);
  emscripten::val push(std::size_t length);
  emscripten::val close();
  emscripten::val randomize(double seed);
  /// config.json's text, or what a GGUF file says in its place once its table is there.
  emscripten::val config_json() const;
  /// The tokenizer that a GGUF file holds, or null.
  emscripten::val tokenizer() const;
  /// A ModelHandle. max_length: of its key-value cache in tokens, 0: the model's context.
  emscripten::val finish(double max_length);

 private:
  void bind(const TensorTable& table);
  void read_gguf(const TensorTable& table);
  GenerationConfig generation_settings(const ModelConfig& config) const;

  WeightPolicy policy_;
  JsonDocument config_json_, generation_json_;
  bool has_generation_ = false;
  std::shared_ptr<Tokenizer> tokenizer_;
  std::optional<ModelLoader> loader_;
  std::optional<ShardIndex> index_;
  std::optional<TensorStream> stream_;
  std::size_t files_ = 0;  // opened so far
};

}  // namespace webformer
