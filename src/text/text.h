#pragma once
// The contract of this folder: text to ids and back. A TokenizerSpec (text/spec.h; read by formats/tokenizer_files.h) is compiled to a
// Tokenizer.
//
//   const Tokenizer tokenizer = Tokenizer::compile(spec);
//   const Encoding encoding = tokenizer.encode("I love AI");
//   tokenizer.decode(encoding.ids);

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/spec.h"

namespace webformer {

struct EncodeOptions {
  std::optional<std::string_view> pair;  ///< a second text
  bool add_special_tokens = true;        ///< the template's tokens
  std::optional<Truncation> truncation;
  std::optional<Padding> padding;
};

/// What became of a text; all vectors but the last two have one entry a token.
struct Encoding {
  std::vector<std::int32_t> ids;
  std::vector<std::array<std::uint32_t, 2>>
      offsets;  ///< [start, end) in UTF-16 code units of the text (of `pair` for its tokens); [0,0] for template and padding
  std::vector<std::int32_t> type_ids;                           ///< the segment
  std::vector<std::uint8_t> attention_mask;                     ///< 0: padding
  std::vector<std::uint8_t> special_mask;                       ///< 1: put there by the template or the padding
  std::vector<std::int32_t> word_ids;                           ///< the word of the text, -1 for template and padding
  std::vector<std::pair<std::uint32_t, std::string>> surfaces;  ///< token index, text: where a token is not shown as in the vocabulary
  std::vector<Encoding> overflow;                               ///< the parts that truncation cut off

  std::size_t size() const noexcept { return ids.size(); }
};

/// One step of how a word became pieces.
struct TraceStep {
  std::uint32_t word = 0;                                    ///< index of Trace::words
  std::vector<std::string> pieces;                           ///< after this step
  std::optional<std::pair<std::string, std::string>> merge;  ///< BPE: what was joined; absent in the first step
  std::optional<double> score;                               ///< unigram: the log-probability of all pieces of the word
};
struct Trace {
  std::string normalized;          ///< the text after the normalizers, added tokens included
  std::vector<std::string> words;  ///< as the model gets them
  std::vector<TraceStep> steps;
};

enum class TokenizerKind : std::uint8_t { word, character, bpe, wordpiece, unigram };

/// The pattern of a word-level tokenizer whose words are characters.
inline constexpr std::string_view every_character = "(?m:.)";

struct CompiledTokenizer;
struct AddedVocabulary;

/// Immutable but for add_tokens(). Copies share their tables. For one thread: encode() keeps a cache of words.
class Tokenizer {
 public:
  /// Throws invalid_file for what contradicts itself, and unsupported_model for patterns that the engine cannot run; both name the place.
  static Tokenizer compile(TokenizerSpec spec);
  /// The compiled tables as one flat block, for another thread; unpack() is little more than a copy. The format is private to one build.
  std::vector<std::byte> pack() const;
  /// Throws invalid_file for anything that pack() does not write.
  static Tokenizer unpack(std::span<const std::byte> packed);
  /// The spec that it was compiled from, added tokens included.
  TokenizerSpec spec() const;

  /// Any text can be encoded; malformed UTF-8 becomes U+FFFD first, once for each maximal invalid part.
  /// Throws invalid_argument where truncation leaves no room, or not the room that the strategy or the stride asks for.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// As encode() for each; `padding` without a length pads to the longest. The pair of each text is its own (options.pair is not used).
  std::vector<Encoding> encode_batch(std::span<const std::pair<std::string_view, std::optional<std::string_view>>> texts,
                                     const EncodeOptions& options = {}) const;
  /// The text of a token of `encoding`: from the vocabulary, or as it stood in the text.
  std::string_view token_text(const Encoding& encoding, std::size_t index) const;

  /// Ids that no token has are skipped, as tokenizers does.
  std::string decode(std::span<const std::int32_t> ids, bool skip_special_tokens = true) const;
  /// The same for tokens by their texts, some of which the vocabulary may not have.
  std::string decode_tokens(std::span<const std::string> tokens) const;
  /// Throws invalid_argument for an id that no token can have: what bindings call before decode().
  void check_ids(std::span<const std::int32_t> ids) const;

  std::optional<std::int32_t> id_of(std::string_view token) const;
  /// "" for an id without a token; see has_token().
  std::string_view token_of(std::int32_t id) const;
  bool has_token(std::int32_t id) const;
  bool is_special(std::int32_t id) const;

  TokenizerKind kind() const;
  std::size_t vocab_size() const;                                     ///< tokens, added ones included
  std::vector<std::pair<std::string, std::int32_t>> special() const;  ///< the special tokens, by ascending id
  const SpecialTokenNames& names() const;
  const std::string& chat_template() const;
  std::optional<std::uint64_t> model_max_length() const;

  /// Adds tokens to the end of the vocabulary, or changes how known ones are found. Returns how many are new. All or nothing.
  std::size_t add_tokens(std::span<const AddedToken> tokens);

  /// How encode() comes to its ids, for people who want to see it. `steps` are limited to the first 10 000.
  Trace trace(std::string_view text) const;

 private:
  friend class DecodeStream;
  Tokenizer() = default;
  void pad_all(std::span<Encoding> encodings, const Padding& padding) const;
  std::shared_ptr<const CompiledTokenizer> compiled_;
  std::shared_ptr<const AddedVocabulary> added_;
};

class DecodePipeline;

/// Decodes ids while they come. The concatenation of all that push() and end() return is what decode() returns for all ids;
/// no piece ends within a character. Copies go on independently. The tokenizer's tables are kept alive.
class DecodeStream {
 public:
  explicit DecodeStream(const Tokenizer& tokenizer, bool skip_special_tokens = true);
  DecodeStream(const DecodeStream& other);
  DecodeStream(DecodeStream&&) noexcept;
  DecodeStream& operator=(const DecodeStream& other);
  DecodeStream& operator=(DecodeStream&&) noexcept;
  ~DecodeStream();

  std::string push(std::span<const std::int32_t> ids);
  /// What was held back, an incomplete character as U+FFFD. The stream is then as new.
  std::string end();

 private:
  Tokenizer tokenizer_;
  bool skip_special_tokens_;
  std::unique_ptr<DecodePipeline> pipeline_, cleaner_;  ///< cleaner_: null where spaces stay
};

}  // namespace webformer
