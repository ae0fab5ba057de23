// From words to a tokenizer: what each kind learns, and the stages, special tokens and model that it becomes.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "text/compiled.h"
#include "text/training/bpe_trainer.h"
#include "text/training/sentencepiece_bpe_trainer.h"
#include "text/training/text_to_words.h"
#include "text/training/trainer_options.h"
#include "text/training/trainers.h"
#include "text/training/unigram_trainer.h"
#include "text/training/word_counts.h"
#include "text/training/word_trainer.h"

namespace webformer {
namespace {

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

constexpr std::size_t longest_piece = 16;  // of both libraries

std::size_t room_for_pieces(const TrainerOptions& options) {
  return options.vocab_size - std::min(options.vocab_size, options.special_tokens.size());
}

/// The special tokens come first, with a score that no text asks for.
UnigramSpec unigram_of(const TrainerOptions& options, const std::vector<LearntPiece>& learnt) {
  UnigramSpec spec;
  const auto add = [&](std::string_view piece, double score) {
    if (piece == *options.unknown_token) spec.unknown_id = std::uint32_t(spec.pieces.size());
    spec.pieces.push_back(piece);
    spec.scores.push_back(score);
  };
  for (const std::string& token : options.special_tokens) add(token, 0);
  for (const LearntPiece& piece : learnt) add(piece.text, piece.score);
  return spec;
}

PieceRules rules_for(TrainerKind kind, const TrainerOptions& options) {
  return {.longest = options.max_token_length.value_or(longest_piece),
          .keeps_scripts_apart = is_sentencepiece(kind),
          .reserved = options.special_tokens};
}

/// The pieces of a .model file: the special tokens first.
class SentencePieceVocabulary {
 public:
  SentencePieceVocabulary(SentencePieceSpec::Algorithm algorithm, const TrainerOptions& options) : size_(options.vocab_size) {
    spec_.algorithm = algorithm;
    using Type = SentencePieceSpec::Type;
    for (const std::string& token : options.special_tokens) add(token, 0, token == *options.unknown_token ? Type::unknown : Type::control);
  }
  void add(std::string_view piece, float score, SentencePieceSpec::Type type = SentencePieceSpec::Type::normal) {
    spec_.pieces.push_back(piece);
    spec_.scores.push_back(score);
    spec_.types.push_back(type);
  }
  /// As SentencePiece, it is the size that was asked for, or none.
  SentencePieceSpec finish() && {
    if (spec_.pieces.size() != size_) {
      const bool is_too_small = spec_.pieces.size() > size_;
      const std::string_view bound = is_too_small ? "at least" : "at most";
      const std::string_view reason =
          is_too_small ? "the special tokens and all characters of the texts" : "the texts give no more pieces";
      throw Error(Code::invalid_argument, "vocabSize: {} found, {} {} expected: {}", size_, bound, spec_.pieces.size(), reason)
          .with("option", "vocabSize");
    }
    return std::move(spec_);
  }

 private:
  SentencePieceSpec spec_;
  std::size_t size_;
};

}  // namespace

TokenizerTrainer::TokenizerTrainer(TrainerKind kind, TrainerOptions options)
    : kind_(kind),
      options_(with_defaults(kind, std::move(options))),
      to_words_(std::make_unique<TextToWords>(*options_.normalizers, *options_.pre_tokenizers)),
      words_(std::make_unique<WordCounts>()) {}

TokenizerTrainer::~TokenizerTrainer() = default;

/// SentencePiece takes each line as a sentence.
void TokenizerTrainer::feed(std::string_view text) {
  while (is_sentencepiece(kind_) && text.find('\n') != std::string_view::npos) {
    to_words_->count(text.substr(0, text.find('\n')), *words_);
    text.remove_prefix(text.find('\n') + 1);
  }
  to_words_->count(text, *words_);
}

/// All but the model. Special tokens have the ids that they have in the list; those of SentencePiece are known by their type.
TokenizerSpec TokenizerTrainer::base_spec() const {
  TokenizerSpec spec;
  spec.normalizers = *options_.normalizers;
  spec.names = names_of(options_);
  if (is_sentencepiece(kind_)) {
    spec.decoders = {SentencePieceDecoder{}};
    return spec;
  }
  spec.pre_tokenizers = *options_.pre_tokenizers;
  spec.decoders = decoders_for(kind_, options_);
  for (std::size_t i = 0; i < options_.special_tokens.size(); ++i) {
    AddedToken token{.content = options_.special_tokens[i], .special = true, .normalized = false};
    spec.added_tokens.push_back({std::move(token), std::int32_t(i)});
  }
  const auto id_of = [&](std::string_view token) {
    const auto at = std::ranges::find(options_.special_tokens, token);
    return TokenAndId{std::string(token), std::int32_t(at - options_.special_tokens.begin())};
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
    case TrainerKind::unigram:
    case TrainerKind::sentencepiece_unigram: {
      const PieceRules rules = rules_for(kind_, options_);
      const auto learnt = co_await learn_unigram(*words_, rules, room_for_pieces(options_), progress_, schedule);
      if (kind_ == TrainerKind::unigram) {
        spec.model = unigram_of(options_, learnt);
      } else {
        SentencePieceVocabulary vocabulary(SentencePieceSpec::Algorithm::unigram, options_);
        for (const LearntPiece& piece : learnt) vocabulary.add(piece.text, float(piece.score));
        spec.model = std::move(vocabulary).finish();
      }
      break;
    }
    case TrainerKind::sentencepiece_bpe: {
      const PieceRules rules = rules_for(kind_, options_);
      const LearntPieces learnt = co_await learn_sentencepiece_bpe(*words_, rules, room_for_pieces(options_), progress_, schedule);
      SentencePieceVocabulary vocabulary(SentencePieceSpec::Algorithm::bpe, options_);
      float score = 0;
      for (const std::string& piece : learnt.merged) vocabulary.add(piece, score--);
      for (const std::string& piece : learnt.characters) vocabulary.add(piece, score--);
      spec.model = std::move(vocabulary).finish();
      break;
    }
  }
  progress_.done = progress_.total;
  co_return spec;
}

}  // namespace webformer
