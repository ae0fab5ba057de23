#include "core/error.h"
#include "text/archive.h"
#include "text/compiled.h"
#include "text/spec_archive.h"

namespace webformer {
namespace {

/// Changes with every change of what is packed.
constexpr std::uint64_t format_mark = 0x3154'4b54'4657'0001;

template <class Archive>
void transfer_all(Archive& archive, std::uint64_t& mark, TokenizerSpec& spec, bool& words_are_bytes, Model& model) {
  archive(mark);
  if (mark != format_mark) UnpackArchive::refuse("it is none, or of another version");
  transfer_stages(archive, spec);
  archive(words_are_bytes, model);
}

}  // namespace

std::vector<std::byte> Tokenizer::pack() const {
  PackArchive archive;
  std::uint64_t mark = format_mark;
  TokenizerSpec spec = compiled_->spec;
  spec.added_tokens = added_->tokens;
  bool words_are_bytes = compiled_->words_are_bytes;
  // Writing changes nothing: one function describes both ways.
  transfer_all(archive, mark, spec, words_are_bytes, const_cast<Model&>(compiled_->model));
  return std::move(archive).take();
}

Tokenizer Tokenizer::unpack(std::span<const std::byte> packed) {
  UnpackArchive archive(packed);
  auto compiled = std::make_shared<CompiledTokenizer>();
  std::uint64_t mark = 0;
  transfer_all(archive, mark, compiled->spec, compiled->words_are_bytes, compiled->model);
  if (!archive.at_end()) UnpackArchive::refuse("something is behind its end");
  std::vector<AddedTokenSpec> added = std::exchange(compiled->spec.added_tokens, {});
  compiled->build_stages();
  Tokenizer tokenizer;
  tokenizer.added_ =
      std::make_shared<AddedVocabulary>(std::move(added), compiled->normalizers, compiled->vocabulary(), compiled->spec.source);
  tokenizer.compiled_ = std::move(compiled);
  return tokenizer;
}

}  // namespace webformer
