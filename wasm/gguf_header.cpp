#include "wasm/gguf_header.h"

#include "core/error.h"
#include "formats/gguf_tokenizer.h"
#include "wasm/guard.h"
#include "wasm/tokenizer_handle.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

bool has_gguf_tokenizer(const Metadata& metadata) noexcept { return metadata.find("tokenizer.ggml.model") != nullptr; }

GgufHeader::GgufHeader(std::string name, double size)
    : name_(std::move(name)),
      stream_(name_, std::uint64_t(size),
              {.table =
                   [this](const TensorTable& table) {
                     if (!has_gguf_tokenizer(table.metadata)) return;
                     tokenizer_ = std::make_shared<Tokenizer>(Tokenizer::compile(read_gguf_tokenizer(table.metadata, table.file)));
                   },
               .wants = [](const TensorInfo&) { return false; },
               .tensor = [](const TensorInfo&, std::span<const std::byte>) {}}) {}

val GgufHeader::push(std::size_t length) {
  return guarded([&] {
    stream_.push(Staging::bytes(length));
    return val(stream_.table().has_value());
  });
}

val GgufHeader::tokenizer() const {
  return guarded([&] {
    if (!tokenizer_) throw Error(Code::invalid_file, "{}: no tokenizer in it (tokenizer.ggml.model)", name_);
    return val(std::make_shared<TokenizerHandle>(tokenizer_));
  });
}

}  // namespace webformer
