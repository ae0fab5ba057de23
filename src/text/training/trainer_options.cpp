#include "text/training/trainer_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/byte_alphabet.h"
#include "text/compiled.h"
#include "text/training/nmt_nfkc.h"

namespace webformer {
namespace {

constexpr std::array<std::string_view, 8> kind_names{"word",      "char",    "bpe",               "byte-bpe",
                                                     "wordpiece", "unigram", "sentencepiece-bpe", "sentencepiece-unigram"};

bool is_bpe(TrainerKind kind) { return kind == TrainerKind::bpe || kind == TrainerKind::byte_bpe || kind == TrainerKind::wordpiece; }

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

/// Words begin with their space. The special tokens end a word wherever a text has them: no piece is to contain one.
TrainerOptions with_sentencepiece_defaults(TrainerOptions options) {
  if (!options.unknown_token) options.unknown_token = "<unk>";
  std::vector<std::string> special{*options.unknown_token, "<s>", "</s>"};
  for (const std::string& token : options.special_tokens) {
    if (std::ranges::find(special, token) == special.end()) special.push_back(token);
  }
  options.special_tokens = std::move(special);
  if (options.normalizers) {
    options.normalizers->emplace_back(SentencePieceNormalizer{});
  } else {
    options.normalizers = {SentencePieceNormalizer{.charsmap = nmt_nfkc_charsmap()}, NormalForm{NormalForm::Kind::nfc}};
  }
  options.pre_tokenizers = {MetaspaceSpec{.prepend = MetaspaceSpec::Prepend::never}};
  for (const std::string& token : options.special_tokens)
    options.pre_tokenizers->emplace_back(SplitPreTokenizer{{token, false}, SplitBehavior::removed, false});
  return options;
}

}  // namespace

std::string_view name(TrainerKind kind) { return kind_names[std::size_t(kind)]; }

std::optional<TrainerKind> trainer_kind_of(std::string_view name) {
  const auto at = std::ranges::find(kind_names, name);
  if (at == kind_names.end()) return std::nullopt;
  return TrainerKind(at - kind_names.begin());
}

bool is_sentencepiece(TrainerKind kind) {
  return kind == TrainerKind::sentencepiece_bpe || kind == TrainerKind::sentencepiece_unigram;
}

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
    case TrainerKind::sentencepiece_unigram: return with_sentencepiece_defaults(std::move(options));
  }
  by_default(options.normalizers, std::move(normalizers));
  by_default(options.pre_tokenizers, std::move(pre_tokenizers));
  std::vector<std::string>& special = options.special_tokens;
  if (options.unknown_token && std::ranges::find(special, *options.unknown_token) == special.end())
    special.insert(special.begin(), *options.unknown_token);
  return options;
}

}  // namespace webformer
