#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/compiled.h"

namespace webformer {

bool ends_in_byte_level(const std::vector<PreTokenizer>& pre_tokenizers) {
  return !pre_tokenizers.empty() && std::holds_alternative<ByteLevelPreTokenizer>(pre_tokenizers.back());
}

void CompiledTokenizer::build_stages() {
  static const DoubleArray none;
  normalizers = NormalizerChain(spec.normalizers, spec.source, sentencepiece() ? sentencepiece()->user_defined() : none);
  pre_tokenizers = PreTokenizerChain(spec.pre_tokenizers, words_are_bytes, spec.source);
  post_processors = PostProcessorChain(spec.post_processors, spec.source);
  decoders = DecoderChain(spec.decoders, spec.source);
}

namespace {

Model compile_model(TokenModel& spec, bool words_are_bytes, std::string_view source) {
  return std::visit(
      [&]<class Spec>(Spec& one) -> Model {
        if constexpr (std::is_same_v<Spec, BpeSpec>) return BpeModel(one, words_are_bytes, source);
        else if constexpr (std::is_same_v<Spec, WordPieceSpec>) return WordPieceModel(one, source);
        else if constexpr (std::is_same_v<Spec, WordLevelSpec>) return WordLevelModel(one, source);
        else if constexpr (std::is_same_v<Spec, UnigramSpec>) return UnigramModel(one, source);
        else return SentencePieceModel(std::move(one), source);
      },
      spec);
}

}  // namespace

Tokenizer Tokenizer::compile(TokenizerSpec spec) {
  auto compiled = std::make_shared<CompiledTokenizer>();
  const auto* bpe = std::get_if<BpeSpec>(&spec.model);
  compiled->words_are_bytes = bpe && !bpe->byte_fallback && ends_in_byte_level(spec.pre_tokenizers);
  compiled->model = compile_model(spec.model, compiled->words_are_bytes, spec.source);
  spec.model = TokenModel();
  std::vector<AddedTokenSpec> added = std::exchange(spec.added_tokens, {});
  compiled->spec = std::move(spec);
  compiled->build_stages();
  Tokenizer tokenizer;
  tokenizer.added_ =
      std::make_shared<AddedVocabulary>(std::move(added), compiled->normalizers, compiled->vocabulary(), compiled->spec.source);
  tokenizer.compiled_ = std::move(compiled);
  return tokenizer;
}

TokenizerSpec Tokenizer::spec() const {
  TokenizerSpec spec = compiled_->spec;
  std::visit([&](const auto& model) { spec.model = model.spec(); }, compiled_->model);
  spec.added_tokens = added_->tokens;
  return spec;
}

std::optional<std::int32_t> Tokenizer::id_of(std::string_view token) const {
  const auto added = added_->by_content.find(std::string(token));
  if (added != added_->by_content.end()) return added_->tokens[added->second].id;
  return compiled_->vocabulary().find(token);
}

std::string_view Tokenizer::token_of(std::int32_t id) const {
  const AddedTokenSpec* added = added_->find(id);
  return added ? std::string_view(added->content) : compiled_->vocabulary().token(id);
}

bool Tokenizer::has_token(std::int32_t id) const { return added_->find(id) || compiled_->vocabulary().has(id); }

bool Tokenizer::is_special(std::int32_t id) const {
  using Type = SentencePieceSpec::Type;
  if (added_->is_special(id)) return true;
  const SentencePieceModel* pieces = compiled_->sentencepiece();
  return pieces && pieces->vocabulary().has(id) && (pieces->type(id) == Type::control || pieces->type(id) == Type::unknown);
}

TokenizerKind Tokenizer::kind() const {
  if (std::holds_alternative<BpeModel>(compiled_->model)) return TokenizerKind::bpe;
  if (std::holds_alternative<WordPieceModel>(compiled_->model)) return TokenizerKind::wordpiece;
  if (std::holds_alternative<UnigramModel>(compiled_->model)) return TokenizerKind::unigram;
  if (const SentencePieceModel* pieces = compiled_->sentencepiece()) {
    switch (pieces->algorithm()) {
      case SentencePieceSpec::Algorithm::unigram: return TokenizerKind::unigram;
      case SentencePieceSpec::Algorithm::bpe: return TokenizerKind::bpe;
      case SentencePieceSpec::Algorithm::word: return TokenizerKind::word;
      case SentencePieceSpec::Algorithm::character: return TokenizerKind::character;
    }
  }
  const auto& stages = compiled_->spec.pre_tokenizers;
  const auto* split = stages.size() == 1 ? std::get_if<SplitPreTokenizer>(&stages[0]) : nullptr;
  const bool is_by_character =
      split && split->pattern.is_regex && split->pattern.text == every_character && split->behavior == SplitBehavior::isolated;
  return is_by_character ? TokenizerKind::character : TokenizerKind::word;
}

std::size_t Tokenizer::vocab_size() const { return compiled_->vocabulary().count() + added_->new_count; }

std::vector<std::pair<std::string, std::int32_t>> Tokenizer::special() const {
  std::vector<std::pair<std::string, std::int32_t>> result;
  for (const AddedTokenSpec& token : added_->tokens) {
    if (token.special) result.emplace_back(token.content, token.id);
  }
  if (compiled_->sentencepiece()) {
    for (std::int32_t id = 0; id < compiled_->vocabulary().end(); ++id) {
      if (is_special(id) && !added_->is_special(id)) result.emplace_back(compiled_->vocabulary().token(id), id);
    }
  }
  std::ranges::sort(result, {}, &std::pair<std::string, std::int32_t>::second);
  return result;
}

const SpecialTokenNames& Tokenizer::names() const { return compiled_->spec.names; }
const std::string& Tokenizer::chat_template() const { return compiled_->spec.chat_template; }
std::optional<std::uint64_t> Tokenizer::model_max_length() const { return compiled_->spec.model_max_length; }

std::size_t Tokenizer::add_tokens(std::span<const AddedToken> tokens) {
  std::size_t added = 0;
  added_ = std::make_shared<AddedVocabulary>(added_->with(tokens, compiled_->normalizers, compiled_->vocabulary(), added));
  return added;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const {
  DecodeStream stream(*this, skip_special_tokens);
  std::string text = stream.push(ids);
  text += stream.end();
  return text;
}

std::string Tokenizer::decode_tokens(std::span<const std::string> tokens) const {
  DecodePipeline pipeline(compiled_->decoders, compiled_->sentencepiece());
  std::string text;
  for (const std::string& token : tokens) pipeline.push(token, id_of(token).value_or(-1), text);
  pipeline.finish(text);
  return text;
}

void Tokenizer::check_ids(std::span<const std::int32_t> ids) const {
  std::int32_t end = compiled_->vocabulary().end();
  for (const AddedTokenSpec& token : added_->tokens) end = std::max(end, token.id + 1);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= end)
      throw Error(Code::invalid_argument, "ids[{}] is {}, 0 to {} expected", i, ids[i], end - 1).with("index", i);
  }
}

DecodeStream::DecodeStream(const Tokenizer& tokenizer, bool skip_special_tokens)
    : tokenizer_(tokenizer),
      skip_special_tokens_(skip_special_tokens),
      pipeline_(std::make_unique<DecodePipeline>(tokenizer_.compiled_->decoders, tokenizer_.compiled_->sentencepiece())),
      cleaner_(tokenizer_.compiled_->spec.clean_up_tokenization_spaces ? std::make_unique<DecodePipeline>(clean_up_chain(), nullptr)
                                                                       : nullptr) {}

DecodeStream::DecodeStream(const DecodeStream& other)
    : tokenizer_(other.tokenizer_),
      skip_special_tokens_(other.skip_special_tokens_),
      pipeline_(std::make_unique<DecodePipeline>(*other.pipeline_)),
      cleaner_(other.cleaner_ ? std::make_unique<DecodePipeline>(*other.cleaner_) : nullptr) {}

DecodeStream::DecodeStream(DecodeStream&&) noexcept = default;

DecodeStream& DecodeStream::operator=(const DecodeStream& other) { return *this = DecodeStream(other); }

DecodeStream& DecodeStream::operator=(DecodeStream&&) noexcept = default;

DecodeStream::~DecodeStream() = default;

std::string DecodeStream::push(std::span<const std::int32_t> ids) {
  std::string text;
  for (const std::int32_t id : ids) {
    const AddedVocabulary& added = *tokenizer_.added_;
    const auto known = added.by_id.find(id);
    if (known == added.by_id.end()) {
      if (tokenizer_.has_token(id)) pipeline_->push(tokenizer_.token_of(id), id, text);
    } else if (!skip_special_tokens_ || !added.tokens[known->second].special) {
      pipeline_->push(added.decoded[known->second], id, text);
    }
  }
  if (!cleaner_) return text;
  std::string cleaned;
  cleaner_->push(text, -1, cleaned);
  return cleaned;
}

std::string DecodeStream::end() {
  std::string text;
  pipeline_->finish(text);
  if (!cleaner_) return text;
  std::string cleaned;
  cleaner_->push(text, -1, cleaned);
  cleaner_->finish(cleaned);
  return cleaned;
}

}  // namespace webformer
