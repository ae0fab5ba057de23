#include "text/unigram_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/utf8.h"
#include "text/archive.h"
#include "text/byte_tokens.h"

namespace webformer {
namespace {

constexpr double unknown_penalty = 10;  // below the least likely piece
constexpr std::uint32_t none = ~0u;

}  // namespace

template <class Number>
double PieceLattice<Number>::best_path(std::string_view text, const DoubleArray& pieces, const std::vector<Number>& scores,
                                       Number unknown_score, std::vector<Step>& path) {
  struct Node {  // the best way that ends here
    Number score = 0;
    std::uint32_t begin = none;
    std::int32_t id = -1;
  };
  std::vector<Node> nodes(text.size() + 1);
  double rebased = 0;  // SentencePiece keeps its floats near zero
  std::size_t frontier = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Number here = [&] {
      constexpr Number far = 100000;
      const Number score = nodes[at].score;
      if (std::is_same_v<Number, double> || (score <= far && score >= -far)) return score;
      for (std::size_t i = at; i <= frontier; ++i) {
        if (i == at || nodes[i].begin != none) nodes[i].score -= score;
      }
      rebased += double(score);
      return Number(0);
    }();
    const auto reach = [&](std::size_t end, Number score, std::int32_t id) {
      frontier = std::max(frontier, end);
      const Number sum = score + here;
      if (nodes[end].begin == none || sum > nodes[end].score) nodes[end] = {sum, std::uint32_t(at), id};
    };
    const std::size_t width = utf8_width(text[at]);
    bool has_character = false;
    auto cursor = pieces.begin();
    for (std::size_t i = at; i < text.size() && cursor.advance(text[i]); ++i) {
      if (!cursor.is_key() || cursor.value() >= scores.size()) continue;
      if (i + 1 < text.size() && is_utf8_continuation(text[i + 1])) continue;
      reach(i + 1, scores[cursor.value()], std::int32_t(cursor.value()));
      has_character = has_character || i + 1 - at == width;
    }
    if (!has_character) reach(at + width, unknown_score, -1);
    at += width;
  }
  path.clear();
  for (std::size_t end = text.size(); end > 0; end = nodes[end].begin)
    path.push_back({nodes[end].id, nodes[end].begin, std::uint32_t(end)});
  std::ranges::reverse(path);
  return double(nodes.back().score) + rebased;
}

template class PieceLattice<double>;
template class PieceLattice<float>;

UnigramModel::UnigramModel(const UnigramSpec& spec, std::string_view source)
    : vocabulary_(spec.pieces), scores_(spec.scores), byte_fallback_(spec.byte_fallback) {
  if (spec.pieces.empty()) throw Error(Code::invalid_file, "{}: model.vocab is empty", source);
  if (spec.unknown_id && *spec.unknown_id >= spec.pieces.size()) {
    throw Error(Code::invalid_file, "{}: model.unk_id is {}, below {} expected, the size of the vocabulary", source, *spec.unknown_id,
                spec.pieces.size());
  }
  if (spec.unknown_id) unknown_id_ = std::int32_t(*spec.unknown_id);
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::pair<std::string_view, std::uint32_t>> keys;
  for (std::size_t id = 0; id < spec.pieces.size(); ++id) {
    const std::string_view piece = vocabulary_.tokens()[id];
    if (!std::isfinite(scores_[id])) {
      throw Error(Code::invalid_file, "{}: model.vocab[{}]: the score of \"{}\" is {}, a finite number expected", source, id, piece,
                  scores_[id]);
    }
    least = std::min(least, scores_[id]);
    if (!piece.empty() && piece.find('\0') == std::string_view::npos && vocabulary_.find(piece) == std::int32_t(id)) {
      keys.emplace_back(piece, std::uint32_t(id));
    }
  }
  unknown_score_ = least - unknown_penalty;
  std::ranges::sort(keys);
  pieces_ = DoubleArray::build(keys);
  for (unsigned byte = 0; byte < 256; ++byte) byte_ids_[byte] = vocabulary_.find(byte_token(std::uint8_t(byte))).value_or(-1);
}

void UnigramModel::check() const {
  if (scores_.size() != std::size_t(vocabulary_.end())) UnpackArchive::refuse("the scores are not those of the vocabulary");
}

double UnigramModel::score(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const {
  std::vector<PieceLattice<double>::Step> path;
  const double sum = PieceLattice<double>::best_path(word, pieces_, scores_, unknown_score_, path);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto is_unknown = [&](const auto& step) { return step.id < 0 || step.id == unknown_id_; };
    if (!is_unknown(path[i])) {
      tokens.push_back({path[i].id, begin + path[i].begin, begin + path[i].end});
      continue;
    }
    const std::uint32_t from = path[i].begin;
    while (i + 1 < path.size() && is_unknown(path[i + 1])) ++i;
    add_unknown(word.substr(from, path[i].end - from), begin + from, tokens);
  }
  return sum;
}

void UnigramModel::add_unknown(std::string_view text, std::uint32_t begin, ModelTokens& tokens) const {
  const auto end = begin + std::uint32_t(text.size());
  const auto byte_id = [&](char byte) { return byte_ids_[static_cast<unsigned char>(byte)]; };
  if (const auto known = vocabulary_.find(text)) {
    tokens.push_back({*known, begin, end});
  } else if (byte_fallback_ && std::ranges::all_of(text, [&](char byte) { return byte_id(byte) >= 0; })) {
    for (const char byte : text) tokens.push_back({byte_id(byte), begin, end});
  } else if (unknown_id_ >= 0) {
    tokens.push_back({unknown_id_, begin, end, true});
  }
}

UnigramSpec UnigramModel::spec() const {
  UnigramSpec result{vocabulary_.tokens(), scores_, std::nullopt, byte_fallback_};
  if (unknown_id_ >= 0) result.unknown_id = std::uint32_t(unknown_id_);
  return result;
}

}  // namespace webformer
