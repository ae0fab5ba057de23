#include "formats/sentencepiece_convert.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace webformer {
namespace {

using Type = SentencePieceSpec::Type;

/// Every way to make a piece of two others, the pieces of the highest scores first.
BpeSpec ranked(const SentencePieceSpec& model) {
  struct Merge {
    float score;
    std::string_view left, right;
  };
  std::unordered_map<std::string_view, std::int32_t> ids;
  BpeSpec result;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    ids.emplace(model.pieces[i], std::int32_t(i));
    result.vocabulary.tokens.push_back(model.pieces[i]);
    result.vocabulary.ids.push_back(std::int32_t(i));
    if (model.types[i] == Type::unknown) result.unknown_token = std::string(model.pieces[i]);
  }
  std::vector<Merge> merges;
  std::vector<std::pair<std::int32_t, std::int32_t>> splits;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    if (model.types[i] != Type::normal) continue;
    const std::string_view piece = model.pieces[i];
    splits.clear();
    for (std::size_t at = utf8_width(piece[0]); at < piece.size(); at += utf8_width(piece[at])) {
      const auto left = ids.find(piece.substr(0, at)), right = ids.find(piece.substr(at));
      if (left != ids.end() && right != ids.end()) splits.emplace_back(left->second, right->second);
    }
    std::ranges::sort(splits);
    for (const auto& [left, right] : splits)
      merges.push_back({model.scores[i], model.pieces[std::size_t(left)], model.pieces[std::size_t(right)]});
  }
  std::ranges::stable_sort(merges, [](const Merge& a, const Merge& b) { return a.score > b.score; });
  for (const Merge& merge : merges) {
    result.merges.push_back(merge.left);
    result.merges.push_back(merge.right);
  }
  result.fuse_unknown = true;
  result.byte_fallback = model.byte_fallback;
  return result;
}

UnigramSpec unigram(const SentencePieceSpec& model) {
  UnigramSpec result;
  result.pieces = model.pieces;
  result.scores.assign(model.scores.begin(), model.scores.begin() + std::ptrdiff_t(model.pieces.size()));
  result.byte_fallback = model.byte_fallback;
  const auto unknown = std::ranges::find(model.types, Type::unknown);
  if (unknown != model.types.end()) result.unknown_id = std::uint32_t(unknown - model.types.begin());
  return result;
}

}  // namespace

TokenizerSpec convert_sentencepiece(const TokenizerSpec& spec) {
  const auto& model = std::get<SentencePieceSpec>(spec.model);
  TokenizerSpec result = spec;
  result.normalizers.clear();
  result.pre_tokenizers.clear();
  result.decoders.clear();
  SentencePieceNormalizer normalizer;
  for (const Normalizer& stage : spec.normalizers) {
    const auto* own = std::get_if<SentencePieceNormalizer>(&stage);
    if (own) normalizer = *own;
    if (!own) result.normalizers.push_back(stage);
    else if (!own->charsmap.empty()) result.normalizers.emplace_back(Precompiled{own->charsmap});
  }
  const std::string space = "\u2581";
  switch (model.algorithm) {
    case SentencePieceSpec::Algorithm::bpe: {
      if (normalizer.remove_extra_whitespaces) {
        result.normalizers.emplace_back(StripSpaces{});
        result.normalizers.emplace_back(Replace{{" {2,}", true}, " "});
      }
      if (normalizer.add_dummy_prefix) result.normalizers.emplace_back(Prepend{space});
      result.normalizers.emplace_back(Replace{{" ", false}, space});
      result.model = ranked(model);
      result.decoders = {Replace{{space, false}, " "}, ByteFallbackDecoder(), FuseDecoder()};
      if (normalizer.add_dummy_prefix) result.decoders.emplace_back(StripDecoder{" ", 1, 0});
      break;
    }
    case SentencePieceSpec::Algorithm::unigram: {
      if (normalizer.remove_extra_whitespaces) {
        result.normalizers.emplace_back(StripSpaces{false, true});
        result.normalizers.emplace_back(Replace{{" {2,}", true}, space});
      }
      const MetaspaceSpec metaspace{space, normalizer.add_dummy_prefix ? MetaspaceSpec::Prepend::always : MetaspaceSpec::Prepend::never,
                                    true};
      result.pre_tokenizers = {metaspace};
      result.model = unigram(model);
      result.decoders = {metaspace};
      if (model.byte_fallback) result.decoders = {ByteFallbackDecoder(), metaspace};
      break;
    }
    default:
      throw Error(Code::unsupported_model, "{}: a SentencePiece model of words or characters cannot be written as tokenizer.json",
                  spec.source);
  }
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    const bool is_special = model.types[i] == Type::control || model.types[i] == Type::unknown;
    const bool is_known =
        std::ranges::any_of(result.added_tokens, [&](const AddedTokenSpec& token) { return token.content == model.pieces[i]; });
    if ((!is_special && model.types[i] != Type::user_defined) || is_known) continue;
    result.added_tokens.push_back({{std::string(model.pieces[i]), is_special, false, false, false, false}, std::int32_t(i)});
  }
  return result;
}

}  // namespace webformer
