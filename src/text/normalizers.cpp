#include "text/normalizers.h"

#include <utility>

#include "core/format.h"
#include "core/unicode.h"
#include "text/byte_alphabet.h"
#include "text/normal_forms.h"
#include "text/sentencepiece_normalizer.h"

namespace webformer {
namespace {

/// Each character becomes the one that `map` says.
template <class Map>
void map_characters(AlignedText& text, Map map) {
  Rewriter rewriter(text);
  for (std::size_t at = 0; at < text.text.size();) rewriter.put(map(next_code_point(text.text, at)), 0);
  text = std::move(rewriter).finish();
}

template <class Predicate>
bool has_any(std::string_view text, Predicate predicate) {
  for (std::size_t at = 0; at < text.size();) {
    if (predicate(next_code_point(text, at))) return true;
  }
  return false;
}

void clean(AlignedText& text) {
  remove_characters(text, [](char32_t c) { return contains(CharSet::bert_removed, c); });
  const auto becomes_space = [](char32_t c) { return c != ' ' && is_white_space(c); };
  if (has_any(text.text, becomes_space)) map_characters(text, [&](char32_t c) { return becomes_space(c) ? U' ' : c; });
}

void isolate_ideographs(AlignedText& text) {
  const auto is_ideograph = [](char32_t c) { return c >= 0x3400 && contains(CharSet::cjk_ideograph, c); };
  if (!has_any(text.text, is_ideograph)) return;
  Rewriter rewriter(text);
  for (std::size_t at = 0; at < text.text.size();) {
    const char32_t c = next_code_point(text.text, at);
    if (is_ideograph(c)) {
      rewriter.put(' ', 0);
      rewriter.put(c, 1);
      rewriter.put(' ', 1);
    } else {
      rewriter.put(c, 0);
    }
  }
  text = std::move(rewriter).finish();
}

void strip_accents(AlignedText& text, CharSet accents) {
  remove_characters(text, [accents](char32_t c) { return c >= 0x300 && contains(accents, c); });
}

void lower(AlignedText& text) {
  constexpr char32_t dotted_capital_i = 0x130;
  if (!has_any(text.text, [](char32_t c) { return c == dotted_capital_i || to_lower(c) != c; })) return;
  Rewriter rewriter(text);
  for (std::size_t at = 0; at < text.text.size();) {
    const char32_t c = next_code_point(text.text, at);
    rewriter.put(c == dotted_capital_i ? U'i' : to_lower(c), 0);
    if (c == dotted_capital_i) rewriter.put(0x307, 1);
  }
  text = std::move(rewriter).finish();
}

}  // namespace

Finder::Finder(const PatternSpec& spec, std::string_view where) : literal_(spec.is_regex ? "" : spec.text) {
  if (spec.is_regex || spec.text.empty()) pattern_ = Pattern::compile(spec.text, where);  // an empty text is between all characters
}

void Finder::find_all(std::string_view text, std::vector<PatternMatch>& matches) const {
  if (pattern_) return pattern_->find_all(text, matches);
  for (std::size_t at = text.find(literal_); at != std::string_view::npos; at = text.find(literal_, at + literal_.size())) {
    matches.push_back({at, at + literal_.size()});
  }
}

NormalizerChain::NormalizerChain(const std::vector<Normalizer>& specs, std::string_view source, const DoubleArray& user_defined) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string where = format("{}: normalizer {}", source, i);
    std::visit(
        [&]<class Spec>(const Spec& spec) {
          if constexpr (std::is_same_v<Spec, Replace>) {
            stages_.push_back(ReplaceStage{Finder(spec.pattern, where), spec.content});
          } else if constexpr (std::is_same_v<Spec, Precompiled>) {
            stages_.push_back(PrecompiledStage{Charsmap::read(spec.charsmap, where)});
          } else if constexpr (std::is_same_v<Spec, SentencePieceNormalizer>) {
            SentencePieceStage stage{spec, std::nullopt, &user_defined};
            stage.options.charsmap.clear();
            if (!spec.charsmap.empty()) stage.charsmap = Charsmap::read(spec.charsmap, where);
            stages_.push_back(std::move(stage));
          } else {
            stages_.push_back(spec);
          }
        },
        specs[i]);
  }
}

void NormalizerChain::apply(AlignedText& text) const {
  for (const Stage& stage : stages_) {
    std::visit([&](const auto& one) { run(one, text); }, stage);
  }
}

void NormalizerChain::run(const BertNormalizer& stage, AlignedText& text) {
  if (stage.clean_text) clean(text);
  if (stage.handle_chinese_chars) isolate_ideographs(text);
  if (stage.strip_accents.value_or(stage.lowercase)) {
    normalize(text, NormalForm::Kind::nfd);
    strip_accents(text, CharSet::nonspacing_accent);
  }
  if (stage.lowercase) lower(text);
}

void NormalizerChain::run(const NormalForm& stage, AlignedText& text) { normalize(text, stage.kind); }
void NormalizerChain::run(const Lowercase&, AlignedText& text) { lower(text); }
void NormalizerChain::run(const StripAccents&, AlignedText& text) { strip_accents(text, CharSet::accent); }
void NormalizerChain::run(const Prepend& stage, AlignedText& text) { prepend(text, stage.prefix); }
void NormalizerChain::run(const PrecompiledStage& stage, AlignedText& text) { apply_precompiled(text, stage.charsmap); }

void NormalizerChain::run(const Nmt&, AlignedText& text) {
  remove_characters(
      text, [](char32_t c) { return (c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f; });
  map_characters(text, [](char32_t c) {
    const bool becomes_space = c == 9 || c == 0xa || c == 0xc || c == 0xd || c == 0x1680 || (c >= 0x200b && c <= 0x200f) || c == 0x2028 ||
                               c == 0x2029 || c == 0x2581 || c == 0xfeff || c == replacement_character;
    return becomes_space ? U' ' : c;
  });
}

void NormalizerChain::run(const StripSpaces& stage, AlignedText& text) {
  const std::string_view all = text.text;
  std::size_t begin = 0, end = all.size(), removed_first = 0;
  int removed_last = 0;
  while (stage.left && begin < end) {
    std::size_t next = begin;
    if (!is_white_space(next_code_point(all, next))) break;
    begin = next;
    ++removed_first;
  }
  while (stage.right && end > begin) {
    std::size_t previous = previous_code_point(all, end);
    const std::size_t last = previous;
    if (!is_white_space(next_code_point(all, previous))) break;
    end = last;
    ++removed_last;
  }
  if (begin == 0 && end == all.size()) return;
  Rewriter rewriter(text, removed_first);
  for (std::size_t at = begin; at < end;) {
    const char32_t c = next_code_point(all, at);
    rewriter.put(c, at == end ? -removed_last : 0);
  }
  text = std::move(rewriter).finish();
}

void NormalizerChain::run(const ReplaceStage& stage, AlignedText& text) {
  std::vector<PatternMatch> matches;
  stage.finder.find_all(text.text, matches);
  if (!matches.empty()) text = replace_matches(text, matches, stage.content);
}

void NormalizerChain::run(const ByteLevelNormalizer&, AlignedText& text) { spell_bytes(text); }

void NormalizerChain::run(const SentencePieceStage& stage, AlignedText& text) {
  normalize_as_sentencepiece(text, stage.options, stage.charsmap ? &*stage.charsmap : nullptr, *stage.user_defined);
}

}  // namespace webformer
