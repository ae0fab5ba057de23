#include "text/sentencepiece_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/archive.h"
#include "text/byte_tokens.h"
#include "text/unigram_model.h"

namespace webformer {

SentencePieceModel::SentencePieceModel(SentencePieceSpec spec, std::string_view source)
    : algorithm_(spec.algorithm),
      vocabulary_(std::move(spec.pieces)),
      unnumbered_(std::move(spec.unnumbered)),
      scores_(std::move(spec.scores)),
      types_(std::move(spec.types)),
      byte_fallback_(spec.byte_fallback),
      lattice_scores_(scores_) {
  byte_ids_.fill(-1);
  float least = std::numeric_limits<float>::max();
  std::vector<std::pair<std::string_view, std::uint32_t>> pieces, user_defined;
  for (std::int32_t id = 0; id < count(); ++id) {
    const auto i = std::size_t(id);
    const std::string_view piece = this->piece(id);
    const auto refuse = [&](std::string_view why) { throw Error(Code::invalid_file, "{}: piece {} (\"{}\") {}", source, id, piece, why); };
    if (piece.empty()) refuse("is empty");
    if (piece.find('\0') != std::string_view::npos) refuse("has a NUL");
    if (index_of(piece) != id) refuse("is there twice");
    if (!std::isfinite(scores_[i])) refuse("has a score that is no finite number");
    switch (types_[i]) {
      case Type::unknown:
        if (unknown_id_ >= 0) refuse("is a second unknown piece");
        unknown_id_ = id;
        break;
      case Type::byte: {
        const auto byte = byte_of_token(piece);
        if (!byte || !byte_fallback_) refuse(byte ? "is a byte, in a model without byte_fallback" : "is no byte <0x00> to <0xFF>");
        byte_ids_[*byte] = id;
        break;
      }
      case Type::user_defined:
        user_defined.emplace_back(piece, std::uint32_t(id));
        lattice_scores_[i] = float(0.1 * (double(piece.size()) - 1));
        break;
      case Type::normal: least = std::min(least, scores_[i]); break;
      case Type::control:
      case Type::unused: break;
    }
    if (types_[i] == Type::normal || types_[i] == Type::user_defined) pieces.emplace_back(piece, std::uint32_t(id));
    longest_piece_ = std::max(longest_piece_, std::uint32_t(piece.size()));
  }
  if (byte_fallback_ && std::ranges::find(byte_ids_, -1) != byte_ids_.end()) {
    throw Error(Code::invalid_file, "{}: byte_fallback without a piece for each of the 256 bytes", source);
  }
  if (unknown_id_ < 0 && !byte_fallback_) throw Error(Code::invalid_file, "{}: no piece is the unknown one", source);
  unknown_score_ = least - 10;
  std::ranges::sort(pieces);
  std::ranges::sort(user_defined);
  if (algorithm_ == SentencePieceSpec::Algorithm::unigram) pieces_ = DoubleArray::build(pieces);
  if (!user_defined.empty()) user_defined_ = DoubleArray::build(user_defined);
  if (algorithm_ == SentencePieceSpec::Algorithm::bpe) find_joins();
}

/// Whatever is joined is part of a piece.
void SentencePieceModel::find_joins() {
  std::vector<std::pair<char32_t, char32_t>> pairs;
  for (std::int32_t id = 0; id < count(); ++id) {
    const std::string_view piece = this->piece(id);
    if (find(piece) < 0) continue;
    std::size_t at = 0;
    for (char32_t left = next_code_point(piece, at); at < piece.size();) {
      const char32_t right = next_code_point(piece, at);
      pairs.emplace_back(left, right);
      left = right;
    }
  }
  joins_ = JoinFilter(std::move(pairs));
}

void SentencePieceModel::check() const {
  const auto expected = std::size_t(count());
  if (scores_.size() != expected || types_.size() != expected || lattice_scores_.size() != expected)
    UnpackArchive::refuse("the scores are not those of the pieces");
}

std::optional<std::int32_t> SentencePieceModel::index_of(std::string_view piece) const noexcept {
  if (const auto id = vocabulary_.find(piece)) return id;
  const auto index = unnumbered_.find(piece);
  return index ? std::optional(vocabulary_.end() + *index) : std::nullopt;
}

std::int32_t SentencePieceModel::find(std::string_view text) const noexcept {
  if (text.size() > longest_piece_) return -1;
  const auto id = index_of(text);
  if (!id) return -1;
  const Type kind = type(*id);
  return kind == Type::normal || kind == Type::user_defined || kind == Type::unused ? *id : -1;
}

std::size_t SentencePieceModel::prefix(std::string_view text, bool& is_user_defined) const noexcept {
  auto cursor = user_defined_.begin();
  std::size_t length = 0;
  for (std::size_t i = 0; i < text.size() && cursor.advance(text[i]); ++i) {
    if (cursor.is_key()) length = i + 1;
  }
  is_user_defined = length > 0;
  return is_user_defined ? length : utf8_width(text[0]);
}

double SentencePieceModel::split_by_unigram(std::string_view text, std::vector<Piece>& pieces) const {
  std::vector<PieceLattice<float>::Step> path;
  const double sum = PieceLattice<float>::best_path(text, pieces_, lattice_scores_, unknown_score_, path);
  for (const auto& step : path) pieces.push_back({step.id, step.begin, step.end});
  return sum;
}

void SentencePieceModel::split_by_bpe(std::string_view text, std::vector<Piece>& pieces) const {
  constexpr std::uint32_t none = ~0u;
  struct Symbol {
    std::uint32_t begin, end;  // end 0: merged into the one before
    std::uint32_t previous, next;
    bool is_frozen;
  };
  struct Candidate {
    float score;
    std::uint32_t left, right_end;
    bool operator<(const Candidate& other) const { return score != other.score ? score < other.score : left > other.left; }
  };
  std::vector<Symbol> symbols;
  for (std::uint32_t at = 0; at < text.size();) {
    bool is_frozen = false;
    const auto end = at + std::uint32_t(prefix(text.substr(at), is_frozen));
    const auto index = std::uint32_t(symbols.size());
    symbols.push_back({at, end, index == 0 ? none : index - 1, end == text.size() ? none : index + 1, is_frozen});
    at = end;
  }
  std::vector<Candidate> candidates;
  // An unused piece is taken apart again in the end, as it was made: its end and where it was joined, by its begin and end.
  std::unordered_map<std::uint64_t, std::uint32_t> joints;
  const auto consider = [&](std::uint32_t left, std::uint32_t right) -> bool {
    if (left == none || right == none || symbols[left].is_frozen || symbols[right].is_frozen) return false;
    const std::int32_t id = find(text.substr(symbols[left].begin, symbols[right].end - symbols[left].begin));
    if (id < 0) return false;
    candidates.push_back({scores_[std::size_t(id)], left, symbols[right].end});
    if (type(id) == Type::unused) joints[std::uint64_t(symbols[left].begin) << 32 | symbols[right].end] = symbols[right].begin;
    return true;
  };
  for (std::uint32_t i = 0; i + 1 < symbols.size(); ++i) consider(i, i + 1);
  std::make_heap(candidates.begin(), candidates.end());
  while (!candidates.empty()) {
    std::pop_heap(candidates.begin(), candidates.end());
    const Candidate best = candidates.back();
    candidates.pop_back();
    Symbol& left = symbols[best.left];
    // Stale where either side has become longer since: only the same two symbols end where they ended.
    if (left.end == 0 || left.next == none || symbols[left.next].end != best.right_end) continue;
    Symbol& right = symbols[left.next];
    left.end = right.end;
    right.end = 0;
    left.next = right.next;
    if (left.next != none) symbols[left.next].previous = best.left;
    if (consider(left.previous, best.left)) std::push_heap(candidates.begin(), candidates.end());
    if (consider(best.left, left.next)) std::push_heap(candidates.begin(), candidates.end());
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
  for (std::uint32_t i = symbols.empty() ? none : 0; i != none; i = symbols[i].next) {
    parts.assign(1, {symbols[i].begin, symbols[i].end});
    while (!parts.empty()) {
      const auto [begin, end] = parts.back();
      parts.pop_back();
      const std::int32_t id = find(text.substr(begin, end - begin));
      const auto joint = id >= 0 && type(id) == Type::unused ? joints.find(std::uint64_t(begin) << 32 | end) : joints.end();
      if (joint != joints.end()) {
        parts.emplace_back(joint->second, end);
        parts.emplace_back(begin, joint->second);
      } else {
        pieces.push_back({id >= 0 && type(id) != Type::unused ? id : -1, begin, end});
      }
    }
  }
}

void SentencePieceModel::split_by_words(std::string_view text, std::vector<Piece>& pieces) const {
  constexpr std::string_view space = "\u2581";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(space, begin + 1), text.size());
    pieces.push_back({find(text.substr(begin, end - begin)), std::uint32_t(begin), std::uint32_t(end)});
    begin = end;
  }
}

void SentencePieceModel::split_by_characters(std::string_view text, std::vector<Piece>& pieces) const {
  bool is_user_defined = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = begin + prefix(text.substr(begin), is_user_defined);
    pieces.push_back({find(text.substr(begin, end - begin)), std::uint32_t(begin), std::uint32_t(end)});
    begin = end;
  }
}

double SentencePieceModel::score(std::string_view text, std::uint32_t begin, ModelTokens& tokens) const {
  std::vector<Piece> pieces;
  double sum = 0;
  switch (algorithm_) {
    case SentencePieceSpec::Algorithm::unigram: sum = split_by_unigram(text, pieces); break;
    case SentencePieceSpec::Algorithm::word: split_by_words(text, pieces); break;
    case SentencePieceSpec::Algorithm::character: split_by_characters(text, pieces); break;
    case SentencePieceSpec::Algorithm::bpe:
      joins_.each_part(text, [&](std::size_t from, std::size_t to) {
        const std::string_view part = text.substr(from, to - from);
        const auto at = begin + std::uint32_t(from);
        if (cache_.find(part, at, tokens)) return;
        const std::size_t first = tokens.size();
        pieces.clear();
        split_by_bpe(part, pieces);
        add_tokens(part, at, pieces, tokens);
        if (part.size() <= WordCache::max_word) cache_.store(part, at, tokens, first);
      });
      fuse_unknown(tokens);
      return sum;
  }
  add_tokens(text, begin, pieces, tokens);
  fuse_unknown(tokens);
  return sum;
}

void SentencePieceModel::add_tokens(std::string_view text, std::uint32_t begin, const std::vector<Piece>& pieces,
                                    ModelTokens& tokens) const {
  for (const Piece& piece : pieces) {
    const std::uint32_t from = begin + piece.begin, to = begin + piece.end;
    const bool is_unknown = piece.id < 0 || type(piece.id) == Type::unused;
    if (piece.id >= vocabulary_.end()) {
      tokens.push_back({unknown_id_, from, to});
    } else if (!is_unknown) {
      tokens.push_back({piece.id, from, to});
    } else if (!byte_fallback_) {
      tokens.push_back({unknown_id_, from, to, true});
    } else {
      for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
        tokens.push_back({byte_ids_[static_cast<unsigned char>(text[i])], from, i + 1 == piece.end ? to : from});
      }
    }
  }
}

/// Neighbouring unknown tokens become one.
void SentencePieceModel::fuse_unknown(ModelTokens& tokens) {
  std::size_t kept = 0;
  for (const ModelToken& token : tokens) {
    if (kept > 0 && token.shows_text && tokens[kept - 1].shows_text) tokens[kept - 1].end = token.end;
    else tokens[kept++] = token;
  }
  tokens.resize(kept);
}

SentencePieceSpec SentencePieceModel::spec() const {
  return {algorithm_, vocabulary_.tokens(), scores_, types_, byte_fallback_, unnumbered_.tokens()};
}

}  // namespace webformer
