#include "wasm/loader_handle.h"

#include <algorithm>
#include <iterator>

#include "decoding/options.h"
#include "formats/gguf_tokenizer.h"
#include "model/families/gguf.h"
#include "model/new_head.h"
#include "wasm/gguf_header.h"
#include "wasm/guard.h"
#include "wasm/memory_limit.h"
#include "wasm/model_handle.h"
#include "wasm/tokenizer_handle.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

WeightPolicy policy_of(std::string_view dtype) {
  constexpr std::string_view names[] = {"auto", "f32", "f16", "int8", "int4"};  // in the order of the enum
  const auto at = std::ranges::find(names, dtype);
  return at == std::end(names) ? WeightPolicy::as_stored : WeightPolicy(at - std::begin(names));
}

}  // namespace

LoaderHandle::LoaderHandle(std::string dtype) : policy_(policy_of(dtype)) {}

val LoaderHandle::config(std::size_t length) {
  return guarded([&] {
    config_json_ = JsonDocument::parse(Staging::text(length), "config.json");
    loader_.emplace(config_json_.root(), policy_, free_memory());
    return val::undefined();
  });
}

val LoaderHandle::new_head(std::size_t length) {
  return guarded([&] {
    const JsonDocument options = JsonDocument::parse(Staging::text(length), "head");
    const Json root = options.root();
    NewHead head{.task = root.get_or("task", ""), .labels = {}};
    if (root.has("labels"))
      for (const Json& label : root["labels"].items()) head.labels.emplace_back(label.get_string());
    config_json_ = JsonDocument::parse(with_new_head(config_json_.root(), head), "config.json");
    loader_.emplace(config_json_.root(), policy_, free_memory());
    loader_->renew_head(std::uint64_t(root.get_or("seed", std::int64_t{0})));
    return val::undefined();
  });
}

val LoaderHandle::generation_config(std::size_t length) {
  return guarded([&] {
    generation_json_ = JsonDocument::parse(Staging::text(length), "generation_config.json");
    has_generation_ = true;
    return val::undefined();
  });
}

val LoaderHandle::shards(std::size_t length) {
  return guarded([&] {
    index_.emplace(Staging::text(length), "model.safetensors.index.json");
    return to_js(index_->files());
  });
}

val LoaderHandle::open(std::string name, double size) {
  return guarded([&] {
    TensorSink sink{.table = [this](const TensorTable& table) { bind(table); },
                    .wants = [this](const TensorInfo& tensor) { return loader_->wants(tensor.name); },
                    .tensor = [this](const TensorInfo& tensor, std::span<const std::byte> bytes) { loader_->fill(tensor, bytes); }};
    stream_.emplace(std::move(name), std::uint64_t(size), std::move(sink));
    ++files_;
    return val::undefined();
  });
}

void LoaderHandle::bind(const TensorTable& table) {
  if (!loader_) read_gguf(table);
  if (index_) index_->check(files_ - 1, table);
  loader_->bind(table, !index_ || files_ == index_->files().size());
}

void LoaderHandle::read_gguf(const TensorTable& table) {
  config_json_ = JsonDocument::parse(gguf_config(table.metadata), table.file);
  loader_.emplace(table.metadata, policy_, free_memory());
  if (has_gguf_tokenizer(table.metadata)) {
    tokenizer_ = std::make_shared<Tokenizer>(Tokenizer::compile(read_gguf_tokenizer(table.metadata, table.file)));
  }
}

val LoaderHandle::push(std::size_t length) {
  return guarded([&] {
    stream_->push(Staging::bytes(length));
    return val::undefined();
  });
}

val LoaderHandle::close() {
  return guarded([&] {
    stream_->finish();
    stream_.reset();
    return val::undefined();
  });
}

val LoaderHandle::randomize(double seed) {
  return guarded([&] {
    loader_->randomize(std::uint64_t(seed));
    return val::undefined();
  });
}

val LoaderHandle::config_json() const {
  return guarded([&] { return to_js(config_json_.root().to_json()); });
}

val LoaderHandle::tokenizer() const {
  return guarded([&] { return tokenizer_ ? val(std::make_shared<TokenizerHandle>(tokenizer_)) : val::null(); });
}

val LoaderHandle::finish(double max_length) {
  return guarded([&] {
    Staging::shrink();
    std::shared_ptr<const Model> model = loader_->finish();
    GenerationConfig generation = generation_settings(model->config);
    return val(std::make_shared<ModelHandle>(std::move(model), loader_->layout(), std::move(generation), std::int64_t(max_length)));
  });
}

GenerationConfig LoaderHandle::generation_settings(const ModelConfig& config) const {
  GenerationConfig generation = read_generation_config(has_generation_ ? generation_json_.root() : Json(), config_json_.root());
  if (generation.eos_token_id.empty()) generation.eos_token_id = config.eos_token_ids;
  if (!has_generation_ && config.decoder_start_token_id >= 0) generation.decoder_start_token_id = config.decoder_start_token_id;
  return generation;
}

}  // namespace webformer
