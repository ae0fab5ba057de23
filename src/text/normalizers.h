#pragma once
// Normalizers, ready to run.

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "text/aligned_text.h"
#include "text/charsmap.h"
#include "text/double_array.h"
#include "text/pattern.h"
#include "text/spec.h"

namespace webformer {

/// Where a pattern or a literal text occurs.
class Finder {
 public:
  Finder(const PatternSpec& spec, std::string_view where);
  void find_all(std::string_view text, std::vector<PatternMatch>& matches) const;

 private:
  std::string literal_;
  std::optional<Pattern> pattern_;
};

/// Applies the normalizers of a spec, one after the other.
class NormalizerChain {
 public:
  NormalizerChain() = default;
  /// `source` is the file that errors name. `user_defined` are pieces that SentencePiece does not normalize.
  NormalizerChain(const std::vector<Normalizer>& specs, std::string_view source, const DoubleArray& user_defined);

  bool empty() const noexcept { return stages_.empty(); }
  void apply(AlignedText& text) const;

 private:
  struct ReplaceStage {
    Finder finder;
    std::string content;
  };
  struct PrecompiledStage {
    Charsmap charsmap;
  };
  struct SentencePieceStage {
    SentencePieceNormalizer options;
    std::optional<Charsmap> charsmap;
    const DoubleArray* user_defined;
  };
  using Stage = std::variant<BertNormalizer, NormalForm, Lowercase, Nmt, StripAccents, StripSpaces, ReplaceStage, Prepend, PrecompiledStage,
                             ByteLevelNormalizer, SentencePieceStage>;

  static void run(const BertNormalizer& stage, AlignedText& text);
  static void run(const NormalForm& stage, AlignedText& text);
  static void run(const Lowercase& stage, AlignedText& text);
  static void run(const Nmt& stage, AlignedText& text);
  static void run(const StripAccents& stage, AlignedText& text);
  static void run(const StripSpaces& stage, AlignedText& text);
  static void run(const ReplaceStage& stage, AlignedText& text);
  static void run(const Prepend& stage, AlignedText& text);
  static void run(const PrecompiledStage& stage, AlignedText& text);
  static void run(const ByteLevelNormalizer& stage, AlignedText& text);
  static void run(const SentencePieceStage& stage, AlignedText& text);

  std::vector<Stage> stages_;
};

}  // namespace webformer
