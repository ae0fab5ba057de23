#pragma once
// Decoders: tokens to text, piece by piece. A batch is a stream that is pushed at once, so both give the same text.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/normalizers.h"
#include "text/sentencepiece_model.h"
#include "text/spec.h"

namespace webformer {

/// The decoders of a spec, ready to run and shared by all streams.
class DecoderChain {
 public:
  struct Stage {
    Decoder spec;
    std::optional<Finder> finder;  ///< of Replace
    bool input_is_joined = false;  ///< it gets one token, in parts
  };

  DecoderChain() = default;
  DecoderChain(const std::vector<Decoder>& specs, std::string_view source);
  const std::vector<Stage>& stages() const noexcept { return stages_; }

 private:
  std::vector<Stage> stages_;
};

/// transformers' clean_up_tokenization, which works on a whole text: rule after rule, each of which takes spaces out.
const DecoderChain& clean_up_chain();

/// One decoding. Stages hold text back as long as what follows may change it. A copy goes on independently; the chain must outlive both.
class DecodePipeline {
 public:
  /// `pieces`: the model that SentencePiece's decoder asks for the types of pieces; null for all others.
  DecodePipeline(const DecoderChain& chain, const SentencePieceModel* pieces);

  void push(std::string_view token, std::int32_t id, std::string& text);
  /// What was held back. The pipeline is then as new.
  void finish(std::string& text);

 private:
  struct State {
    std::size_t index = 0;  // of the next token
    std::string held;
    std::uint32_t stripped = 0;
    bool has_held = false, is_past_start = false, space_seen = false;
  };

  void take(std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void take_part(std::size_t stage, std::string_view part, std::string& text);
  void end(std::size_t stage, std::string& text);
  void give(std::size_t stage, std::string_view token, std::string& text);

  void decode(const ByteLevelDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const WordPieceDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const MetaspaceSpec& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const BpeDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const CtcDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const Replace& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const FuseDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const ByteFallbackDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const StripDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void decode(const SentencePieceDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id, std::string& text);
  void give_well_formed(std::size_t stage, std::string& text, bool is_end);
  void give_fallback_bytes(std::size_t stage, std::string& text);
  void give_sentencepiece_bytes(std::size_t stage, std::string& text, bool is_end);

  const DecoderChain* chain_;
  const SentencePieceModel* pieces_;
  std::vector<State> states_;
};

}  // namespace webformer
