#pragma once
// What the ways to decode have in common: the prompts, the clock, and how a sequence becomes items and a row of the result.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "decoding/generate.h"
#include "decoding/stop.h"
#include "decoding/text_stream.h"

namespace webformer {

struct Prompt {
  std::vector<std::int32_t> ids;  ///< of the decoder
  std::int64_t max_length = 0;    ///< where its sequences end

  bool has_room() const noexcept { return std::int64_t(ids.size()) < max_length; }
};

/// Whether a sequence ends with the token that it just got; follows its text if there are stop strings.
class EndOfSequence {
 public:
  EndOfSequence(const GenerationConfig& config, const Tokenizer* tokenizer, const Prompt& prompt, std::span<const std::int32_t> before);
  std::optional<FinishReason> push(std::int32_t id, std::int64_t length);

 private:
  const GenerationConfig* config_;
  std::int64_t max_length_;
  std::optional<TextStream> text_;  ///< special tokens included: they may be stop strings
  std::optional<StopMatcher> stop_;
};

/// One row of the result, as it is streamed.
class OutputRow {
 public:
  OutputRow(std::int64_t index, TextStream stream) : index_(index), stream_(std::move(stream)) {}

  std::int64_t index() const noexcept { return index_; }
  const std::string& text() const noexcept { return text_; }
  /// The item that adds these ids; `last` gives up what an incomplete character has held back.
  GenerationItem add(std::span<const std::int32_t> ids, bool last);
  /// The text that these ids would add.
  std::string preview(std::span<const std::int32_t> ids) const;

 private:
  std::int64_t index_;
  TextStream stream_;
  std::string text_;
};

struct GenerationRun {
  Session& session;
  const Tokenizer* tokenizer;
  const GenerationConfig& config;
  GenerationSink& sink;
  Schedule& schedule;
  std::uint64_t entropy = 0;
  std::vector<Prompt> prompts;
  GenerationResult result;
  Schedule::Clock::time_point since = Schedule::Clock::now();  ///< when work began after the last pause
  bool prefilled = false;

  /// What the text of a prompt's sequences stands behind: the prompt, except where it belongs to another text, the source.
  std::span<const std::int32_t> text_before(const Prompt& prompt) const;
  Random random(std::int64_t prompt, std::int64_t sequence) const;
  std::vector<TokenCandidate> candidates(std::span<const float> scores) const;
  /// Notes a step of a beam, if that was asked for; returns its place in the list.
  std::int64_t note(std::int64_t step, std::int64_t parent, std::int32_t id, double score);
  void emit(GenerationItem item);
  /// Adds the time since the last pause to the usage, then pauses so that the items are taken.
  Task<> pause();
  /// Writes a row of the result. `score`: see GenerationResult.
  void finish(const OutputRow& row, const Prompt& prompt, std::vector<std::int32_t> ids, FinishReason reason, double score);
};

/// Greedy decoding and sampling.
Task<> generate_rows(GenerationRun& run);
/// Beam search and beam sampling.
Task<> generate_beams(GenerationRun& run);

}  // namespace webformer
