#pragma once
// A tokenizer as plain data: what its files say, before it is compiled to tables. Names and meanings are those of Hugging Face's
// tokenizer.json (https://huggingface.co/docs/tokenizers/api/normalizers and its neighbours); the SentencePiece stages are those of a bare
// .model file. Sequences of stages are flattened into vectors. All text is UTF-8.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "text/string_pool.h"

namespace webformer {

/// A literal text, or a regular expression in Oniguruma's Ruby syntax (text/pattern.h).
struct PatternSpec {
  std::string text;
  bool is_regex = false;
};

// ---- normalizers: text to text ------------------------------------------------------------------------------------------------------

struct BertNormalizer {
  bool clean_text = true, handle_chinese_chars = true;
  std::optional<bool> strip_accents;  ///< absent: as `lowercase`
  bool lowercase = true;
};
struct NormalForm {
  enum class Kind : std::uint8_t { nfc, nfd, nfkc, nfkd } kind = Kind::nfc;
};
struct Lowercase {};
struct Nmt {};
struct StripAccents {};
struct StripSpaces {
  bool left = true, right = true;
};
struct Replace {  ///< a decoder as well
  PatternSpec pattern;
  std::string content;
};
struct Prepend {
  std::string prefix;
};
struct Precompiled {  ///< SentencePiece's charsmap as tokenizers applies it: cluster by cluster, the shortest match
  std::string charsmap;
};
struct ByteLevelNormalizer {};  ///< bytes to the 256 characters of GPT-2's alphabet
/// SentencePiece's own: the longest match of the charsmap, then the handling of spaces.
struct SentencePieceNormalizer {
  std::string charsmap;  ///< empty: identity
  bool add_dummy_prefix = true, remove_extra_whitespaces = true, escape_whitespaces = true, treat_whitespace_as_suffix = false;
};
using Normalizer = std::variant<BertNormalizer, NormalForm, Lowercase, Nmt, StripAccents, StripSpaces, Replace, Prepend, Precompiled,
                                ByteLevelNormalizer, SentencePieceNormalizer>;

// ---- pre-tokenizers: text to words --------------------------------------------------------------------------------------------------

enum class SplitBehavior : std::uint8_t { removed, isolated, merged_with_previous, merged_with_next, contiguous };

struct BertPreTokenizer {};
struct WhitespacePreTokenizer {};  ///< \w+|[^\w\s]+
struct WhitespaceSplit {};
struct ByteLevelPreTokenizer {
  bool add_prefix_space = true, use_regex = true;
};
struct MetaspaceSpec {  ///< a decoder as well
  enum class Prepend : std::uint8_t { always, never, first };
  std::string replacement = "\u2581";  ///< one character
  Prepend prepend = Prepend::always;
  bool split = true;
};
struct SplitPreTokenizer {
  PatternSpec pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;
};
struct PunctuationPreTokenizer {
  SplitBehavior behavior = SplitBehavior::isolated;
};
struct DigitsPreTokenizer {
  bool individual_digits = false;
};
struct DelimiterPreTokenizer {
  std::string delimiter;  ///< one character
};
struct FixedLengthPreTokenizer {
  std::uint32_t length = 5;  ///< in characters
};
using PreTokenizer =
    std::variant<BertPreTokenizer, WhitespacePreTokenizer, WhitespaceSplit, ByteLevelPreTokenizer, MetaspaceSpec, SplitPreTokenizer,
                 PunctuationPreTokenizer, DigitsPreTokenizer, DelimiterPreTokenizer, FixedLengthPreTokenizer>;

// ---- models: words to ids -----------------------------------------------------------------------------------------------------------

/// Tokens and their ids, which may have gaps.
struct VocabularySpec {
  StringPool tokens;
  std::vector<std::int32_t> ids;  ///< one a token
};

struct BpeSpec {
  VocabularySpec vocabulary;
  StringPool merges;  ///< left and right of the first merge, then of the second, …; the earlier a merge, the sooner it is made
  std::optional<std::string> unknown_token;
  std::string continuing_prefix, word_suffix;
  bool fuse_unknown = false, byte_fallback = false, ignore_merges = false;
};
struct WordPieceSpec {
  VocabularySpec vocabulary;
  std::string unknown_token = "[UNK]", continuing_prefix = "##";
  std::uint32_t max_characters = 100;  ///< of a word; a longer one is unknown
};
struct WordLevelSpec {
  VocabularySpec vocabulary;
  std::string unknown_token = "<unk>";
};
struct UnigramSpec {
  StringPool pieces;           ///< the index is the id
  std::vector<double> scores;  ///< log-probabilities
  std::optional<std::uint32_t> unknown_id;
  bool byte_fallback = false;
};
/// A SentencePiece model as it is in its .model file.
struct SentencePieceSpec {
  enum class Algorithm : std::uint8_t { unigram, bpe, word, character };
  enum class Type : std::uint8_t { normal = 1, unknown, control, user_defined, unused, byte };
  Algorithm algorithm = Algorithm::unigram;
  StringPool pieces;          ///< the index is the id
  std::vector<float> scores;  ///< of `pieces`, then of `unnumbered`
  std::vector<Type> types;
  bool byte_fallback = false;
  StringPool unnumbered;  ///< found in texts, but without an id of their own: they become the unknown token
};
using TokenModel = std::variant<BpeSpec, WordPieceSpec, WordLevelSpec, UnigramSpec, SentencePieceSpec>;

// ---- post-processors: what is put around the ids -------------------------------------------------------------------------------------

struct TemplateToken {
  std::string text;
  std::vector<std::int32_t> ids;  ///< of a "special token", which may stand for several
  std::vector<std::string> tokens;
};
struct TemplatePiece {
  enum class Kind : std::uint8_t { first, second, special } kind = Kind::first;
  std::int32_t type_id = 0;
  std::uint32_t special = 0;  ///< index of TemplateProcessing::special_tokens
};
struct TemplateProcessing {
  std::vector<TemplatePiece> single, pair;
  std::vector<TemplateToken> special_tokens;
};
struct TokenAndId {
  std::string token;
  std::int32_t id = 0;
};
struct BertProcessing {
  TokenAndId sep, cls;
};
struct RobertaProcessing {
  TokenAndId sep, cls;
  bool trim_offsets = true, add_prefix_space = true;
};
struct ByteLevelProcessing {
  bool trim_offsets = true, add_prefix_space = true;
};
using PostProcessor = std::variant<TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevelProcessing>;

// ---- decoders: tokens to text -------------------------------------------------------------------------------------------------------

struct ByteLevelDecoder {};
struct WordPieceDecoder {
  std::string prefix = "##";
  bool cleanup = true;
};
struct BpeDecoder {
  std::string suffix = "</w>";
};
struct CtcDecoder {
  std::string pad_token = "<pad>", word_delimiter = "|";
  bool cleanup = true;
};
struct FuseDecoder {};
struct ByteFallbackDecoder {};
struct StripDecoder {
  std::string content = " ";  ///< one character
  std::uint32_t start = 0, stop = 0;
};
/// SentencePiece's: <unk> becomes `unknown_surface`, control pieces nothing, bytes characters; the first space goes.
struct SentencePieceDecoder {
  std::string unknown_surface = " \u2047 ";
  bool add_dummy_prefix = true, remove_extra_whitespaces = true;
};
using Decoder = std::variant<ByteLevelDecoder, WordPieceDecoder, MetaspaceSpec, BpeDecoder, CtcDecoder, Replace, FuseDecoder,
                             ByteFallbackDecoder, StripDecoder, SentencePieceDecoder>;

// ---- all of it -----------------------------------------------------------------------------------------------------------------------

/// A token that is looked for in the text itself, before anything else sees it.
struct AddedToken {
  std::string content;
  bool special = false;                 ///< decode() may skip it
  bool lstrip = false, rstrip = false;  ///< takes the white space before, after
  bool single_word = false;             ///< not within a word
  bool normalized = true;               ///< looked for in the normalized text, and normalized itself
};
struct AddedTokenSpec : AddedToken {
  std::int32_t id = -1;
};

enum class Side : std::uint8_t { right, left };
enum class TruncationStrategy : std::uint8_t { longest_first, only_first, only_second };

struct Truncation {
  std::size_t max_length = 0;  ///< of the whole encoding, the template's tokens included
  std::size_t stride = 0;      ///< how many tokens a part repeats of the one before
  TruncationStrategy strategy = TruncationStrategy::longest_first;
  Side direction = Side::right;
};
struct Padding {
  std::optional<std::size_t> length;  ///< absent: to the longest of the batch
  std::size_t multiple_of = 0;        ///< 0: as it is
  Side direction = Side::right;
  std::optional<std::int32_t> id;  ///< absent: the tokenizer's padding token
  std::optional<std::string> token;
  std::int32_t type_id = 0;
};

/// The names of tokenizer_config.json and special_tokens_map.json; empty where the files have none.
struct SpecialTokenNames {
  std::string bos, eos, unk, sep, pad, cls, mask;
  std::vector<std::string> additional;
};

struct TokenizerSpec {
  std::vector<Normalizer> normalizers;
  std::vector<PreTokenizer> pre_tokenizers;
  TokenModel model;
  std::vector<PostProcessor> post_processors;
  std::vector<Decoder> decoders;  ///< none: tokens are joined by spaces
  std::vector<AddedTokenSpec> added_tokens;

  std::optional<Truncation> truncation;  ///< the file's own: carried, not applied where encode() is not told to
  std::optional<Padding> padding;
  SpecialTokenNames names;
  std::string chat_template;  ///< Jinja; "" where there is none
  std::optional<std::uint64_t> model_max_length;
  bool clean_up_tokenization_spaces = false;  ///< decode() takes spaces out of its text: before . ? ! , and 's, and around '

  std::string source = "tokenizer";  ///< the file that error messages name
};

}  // namespace webformer
