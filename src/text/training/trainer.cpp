// What each kind of training needs and gives: its stages, its special tokens, its model.
#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "text/byte_alphabet.h"
#include "text/compiled.h"
#include "text/training/bpe_trainer.h"
#include "text/training/text_to_words.h"
#include "text/training/trainers.h"
#include "text/training/word_counts.h"
#include "text/training/word_trainer.h"

namespace webformer {
namespace {

constexpr std::array<std::string_view, 8> kind_names{"word",      "char",    "bpe",               "byte-bpe",
                                                     "wordpiece", "unigram", "sentencepiece-bpe", "sentencepiece-unigram"};

bool is_bpe(TrainerKind kind) { return kind == TrainerKind::bpe || kind == TrainerKind::byte_bpe || kind == TrainerKind::wordpiece; }
bool is_sentencepiece(TrainerKind kind) {
  return kind == TrainerKind::sentencepiece_bpe || kind == TrainerKind::sentencepiece_unigram;
}

void check(TrainerKind kind, const TrainerOptions& options) {
  const std::string_view owner = name(kind);
  const auto only_for = [&](std::string_view option, bool is_there, bool has_use) {
    if (is_there && !has_use)
      throw Error(Code::invalid_argument, "{}: the kind {} has no use for it", option, owner).with("option", option);
  };
  const bool is_words = kind == TrainerKind::word || kind == TrainerKind::character;
  const bool merges = kind == TrainerKind::bpe || kind == TrainerKind::byte_bpe;
  only_for("minFrequency", options.min_frequency > 0, is_words || is_bpe(kind));
  only_for("limitAlphabet", options.limit_alphabet.has_value(), is_bpe(kind));
  only_for("initialAlphabet", !options.initial_alphabet.empty(), is_bpe(kind));
  only_for("maxTokenLength", options.max_token_length.has_value(), !is_words);
  only_for("endOfWordSuffix", options.end_of_word_suffix.has_value(), merges);
  only_for("continuingPrefix", options.continuing_prefix.has_value(), is_bpe(kind));
  only_for("preTokenizer", options.pre_tokenizers.has_value(), kind != TrainerKind::character && !is_sentencepiece(kind));
  const auto at_least_one = [](std::string_view option, std::size_t found) {
    if (found == 0) throw Error(Code::invalid_argument, "{}: 0 found, at least 1 expected", option).with("option", option);
  };
  at_least_one("vocabSize", options.vocab_size);
  at_least_one("maxTokenLength", options.max_token_length.value_or(1));
  if (options.vocab_size > max_trained_tokens) {
    throw Error(Code::invalid_argument, "vocabSize: {} found, {} at most", options.vocab_size, max_trained_tokens)
        .with("option", "vocabSize");
  }
  for (std::size_t i = 0; i < options.special_tokens.size(); ++i) {
    const std::string& token = options.special_tokens[i];
    const bool is_twice = std::ranges::count(options.special_tokens, token) > 1;
    if (token.empty() || is_twice) {
      throw Error(Code::invalid_argument, "specialTokens[{}]: \"{}\" {}", i, token, is_twice ? "is there twice" : "is empty")
          .with("option", "specialTokens");
    }
  }
  if (options.unknown_token && options.unknown_token->empty())
    throw Error(Code::invalid_argument, "unknownToken: \"\" found, a text expected").with("option", "unknownToken");
  if (kind == TrainerKind::byte_bpe && options.pre_tokenizers && !ends_in_byte_level(*options.pre_tokenizers))
    throw Error(Code::invalid_argument, "preTokenizer: byte-bpe needs one that ends in ByteLevel").with("option", "preTokenizer");
}

/// What options leave open, by kind.
TrainerOptions with_defaults(TrainerKind kind, TrainerOptions options) {
  check(kind, options);
  const auto by_default = [](auto& option, auto value) {
    if (!option) option = std::move(value);
  };
  std::vector<Normalizer> normalizers;
  std::vector<PreTokenizer> pre_tokenizers;
  switch (kind) {
    case TrainerKind::word:
      by_default(options.unknown_token, "<unk>");
      pre_tokenizers = {WhitespacePreTokenizer{}};
      break;
    case TrainerKind::character:
      by_default(options.unknown_token, "<unk>");
      pre_tokenizers = {SplitPreTokenizer{{std::string(every_character), true}, SplitBehavior::isolated, false}};
      break;
    case TrainerKind::bpe: pre_tokenizers = {WhitespacePreTokenizer{}}; break;
    case TrainerKind::byte_bpe:
      pre_tokenizers = {ByteLevelPreTokenizer{.add_prefix_space = false, .use_regex = true}};
      for (const char16_t c : byte_alphabet) options.initial_alphabet.push_back(to_utf8(c));
      break;
    case TrainerKind::wordpiece:
      by_default(options.unknown_token, "[UNK]");
      by_default(options.continuing_prefix, "##");
      normalizers = {BertNormalizer{}};
      pre_tokenizers = {BertPreTokenizer{}};
      break;
    case TrainerKind::unigram:
      by_default(options.unknown_token, "<unk>");
      pre_tokenizers = {MetaspaceSpec{}};
      break;
    case TrainerKind::sentencepiece_bpe:
    case TrainerKind::sentencepiece_unigram: by_default(options.unknown_token, "<unk>"); break;
  }
  by_default(options.normalizers, std::move(normalizers));
  by_default(options.pre_tokenizers, std::move(pre_tokenizers));
  std::vector<std::string>& special = options.special_tokens;
  if (options.unknown_token && std::ranges::find(special, *options.unknown_token) == special.end())
    special.insert(special.begin(), *options.unknown_token);
  return options;
}

/// What turns the tokens of these stages to text again.
std::vector<Decoder> decoders_for(TrainerKind kind, const TrainerOptions& options) {
  if (kind == TrainerKind::character) return {FuseDecoder{}};
  if (kind == TrainerKind::wordpiece) return {WordPieceDecoder{.prefix = *options.continuing_prefix}};
  if (options.end_of_word_suffix) return {BpeDecoder{*options.end_of_word_suffix}};
  if (options.continuing_prefix) return {WordPieceDecoder{.prefix = *options.continuing_prefix, .cleanup = false}};
  if (ends_in_byte_level(*options.pre_tokenizers)) return {ByteLevelDecoder{}};
  for (const PreTokenizer& stage : *options.pre_tokenizers) {
    if (const auto* metaspace = std::get_if<MetaspaceSpec>(&stage)) return {*metaspace};
  }
  return {};
}

/// The names that special tokens have by custom.
SpecialTokenNames names_of(const TrainerOptions& options) {
  const auto first_of = [&](std::initializer_list<std::string_view> customary) -> std::string {
    for (const std::string_view token : customary) {
      if (std::ranges::find(options.special_tokens, token) != options.special_tokens.end()) return std::string(token);
    }
    return "";
  };
  return {.bos = first_of({"<s>", "[BOS]", "<|endoftext|>"}),
          .eos = first_of({"</s>", "[EOS]", "<|endoftext|>"}),
          .unk = options.unknown_token.value_or(""),
          .sep = first_of({"[SEP]"}),
          .pad = first_of({"[PAD]", "<pad>"}),
          .cls = first_of({"[CLS]"}),
          .mask = first_of({"[MASK]", "<mask>"}),
          .additional = {}};
}

VocabularySpec vocabulary_of(const std::vector<std::string>& tokens) {
  VocabularySpec vocabulary;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    vocabulary.tokens.push_back(tokens[i]);
    vocabulary.ids.push_back(std::int32_t(i));
  }
  return vocabulary;
}

}  // namespace

std::string_view name(TrainerKind kind) { return kind_names[std::size_t(kind)]; }

std::optional<TrainerKind> trainer_kind_of(std::string_view name) {
  const auto at = std::ranges::find(kind_names, name);
  if (at == kind_names.end()) return std::nullopt;
  return TrainerKind(at - kind_names.begin());
}

TokenizerTrainer::TokenizerTrainer(TrainerKind kind, TrainerOptions options)
    : kind_(kind),
      options_(with_defaults(kind, std::move(options))),
      to_words_(std::make_unique<TextToWords>(*options_.normalizers, *options_.pre_tokenizers)),
      words_(std::make_unique<WordCounts>()) {}

TokenizerTrainer::~TokenizerTrainer() = default;

void TokenizerTrainer::feed(std::string_view text) { to_words_->count(text, *words_); }

/// All but the model. Special tokens have the ids that they have in the list.
TokenizerSpec TokenizerTrainer::base_spec() const {
  TokenizerSpec spec;
  spec.normalizers = *options_.normalizers;
  spec.pre_tokenizers = *options_.pre_tokenizers;
  spec.decoders = decoders_for(kind_, options_);
  spec.names = names_of(options_);
  for (std::size_t i = 0; i < options_.special_tokens.size(); ++i) {
    AddedToken token{.content = options_.special_tokens[i], .special = true, .normalized = false};
    spec.added_tokens.push_back({std::move(token), std::int32_t(i)});
  }
  const auto id_of = [&](std::string_view token) {
    return TokenAndId{std::string(token), std::int32_t(std::ranges::find(options_.special_tokens, token) - options_.special_tokens.begin())};
  };
  if (kind_ == TrainerKind::wordpiece && !spec.names.cls.empty() && !spec.names.sep.empty())
    spec.post_processors = {BertProcessing{.sep = id_of(spec.names.sep), .cls = id_of(spec.names.cls)}};
  return spec;
}

Task<TokenizerSpec> TokenizerTrainer::train(Schedule& schedule) {
  if (words_->empty()) throw Error(Code::invalid_argument, "trainTokenizer: no words found in the texts");
  TokenizerSpec spec = base_spec();
  switch (kind_) {
    case TrainerKind::word:
    case TrainerKind::character:
      spec.model = WordLevelSpec{vocabulary_of(learn_words(*words_, options_)), *options_.unknown_token};
      break;
    case TrainerKind::bpe:
    case TrainerKind::byte_bpe: {
      LearntBpe learnt = co_await learn_bpe(*words_, options_, progress_, schedule);
      spec.model = BpeSpec{.vocabulary = vocabulary_of(learnt.tokens),
                           .merges = std::move(learnt.merges),
                           .unknown_token = options_.unknown_token,
                           .continuing_prefix = options_.continuing_prefix.value_or(""),
                           .word_suffix = options_.end_of_word_suffix.value_or("")};
      break;
    }
    case TrainerKind::wordpiece: {
      const LearntBpe learnt = co_await learn_bpe(*words_, options_, progress_, schedule);
      spec.model = WordPieceSpec{vocabulary_of(learnt.tokens), *options_.unknown_token, *options_.continuing_prefix};
      break;
    }
    default: break;
  }
  progress_.done = progress_.total;
  co_return spec;
}

}  // namespace webformer
