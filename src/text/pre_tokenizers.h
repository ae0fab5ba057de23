#pragma once
// Pre-tokenizers, ready to run.

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "text/normalizers.h"
#include "text/spec.h"
#include "text/words.h"

namespace webformer {

class PreTokenizerChain {
 public:
  PreTokenizerChain() = default;
  /// `bytes_stay`: a ByteLevel at the end leaves the bytes as they are, for a model that knows them as such.
  PreTokenizerChain(const std::vector<PreTokenizer>& specs, bool bytes_stay, std::string_view source);
  void apply(Words& words) const;

 private:
  struct Cut {  ///< at matches of a pattern
    Finder finder;
    SplitBehavior behavior;
    bool invert;
  };
  enum class CharacterTest : std::uint8_t { white_space, punctuation, numeric };
  struct CutCharacters {  ///< at single characters
    CharacterTest test;
    SplitBehavior behavior;
  };
  struct AddPrefixSpace {};
  struct SpellBytes {};
  using Stage = std::variant<Cut, CutCharacters, FixedLengthPreTokenizer, MetaspaceSpec, AddPrefixSpace, SpellBytes>;

  void add(const PreTokenizer& spec, bool bytes_stay, std::string_view where);
  static void run(const Cut& stage, Words& words);
  static void run(const CutCharacters& stage, Words& words);
  static void run(const FixedLengthPreTokenizer& stage, Words& words);
  static void run(const MetaspaceSpec& stage, Words& words);
  static void run(const AddPrefixSpace& stage, Words& words);
  static void run(const SpellBytes& stage, Words& words);

  std::vector<Stage> stages_;
};

}  // namespace webformer
