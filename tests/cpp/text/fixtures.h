#pragma once
// Small tokenizers for the tests, as tokenizer.json.

#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/tokenizer_files.h"
#include "text/byte_alphabet.h"
#include "text/text.h"

namespace webformer::fixtures {

inline Tokenizer from_json(std::string_view json) { return Tokenizer::compile(read_tokenizer({{"tokenizer.json", json}})); }

/// {"model": …, more}
inline std::string with_model(const std::string& model, const std::string& more = "") {
  return R"({"version": "1.0", )" + more + (more.empty() ? "" : ", ") + R"("model": )" + model + "}";
}

inline std::string added(std::string_view content, int id, std::string_view flags = "") {
  return R"({"id": )" + std::to_string(id) + R"(, "content": ")" + std::string(content) +
         R"(", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true)" +
         (flags.empty() ? "" : ", " + std::string(flags)) + "}";
}

/// A BPE of the letters of `lowest lower newer wider` with five merges (the example of Sennrich et al.), and <unk>.
inline std::string bpe(const std::string& more = "") {
  return with_model(R"({"type": "BPE", "unk_token": "<unk>",
    "vocab": {"<unk>": 0, "l": 1, "o": 2, "w": 3, "e": 4, "r": 5, "s": 6, "t": 7, "n": 8, "i": 9, "d": 10,
      "er": 11, "lo": 12, "low": 13, "est": 14, "es": 15, "lower": 16},
    "merges": ["e r", "l o", "lo w", "e s", "es t", "low er"]})",
                    more);
}

/// All 256 bytes, and "the" with and without a space before it, as GPT-2 writes them.
inline std::string byte_level(const std::string& more = R"("added_tokens": [{"id": 300, "content": "<|end|>", "special": true}])") {
  std::string vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string token = to_utf8(byte_alphabet[std::size_t(byte)]);
    vocabulary += (byte == 0 ? "\"" : ", \"") + (token == "\"" || token == "\\" ? "\\" + token : token) + "\": " + std::to_string(byte);
  }
  return with_model(R"({"type": "BPE", "vocab": {)" + vocabulary + R"(, "he": 256, "the": 257, "Ġthe": 258, "Ġt": 259},
    "merges": [["Ġ", "t"], ["h", "e"], ["t", "he"], ["Ġt", "he"]]})",
                    R"("pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "decoder": {"type": "ByteLevel"})" +
                        (more.empty() ? "" : ", " + more));
}

inline std::string wordpiece(const std::string& more = "") {
  return with_model(
      R"({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
    "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "un": 4, "##aff": 5, "##able": 6, "aff": 7, "##a": 8,
      ",": 9, "i": 10, "love": 11}})",
      R"("normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece"},
       "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]})" +
          (more.empty() ? "" : ", " + more));
}

/// The example of tokenizers' own Unigram, with a Metaspace.
inline std::string unigram(const std::string& more = R"("pre_tokenizer": {"type": "Metaspace"}, "decoder": {"type": "Metaspace"})") {
  return with_model(
      R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -3], ["a", -4], ["b", -4], ["c", -4], ["d", -4], ["cd", -3],
    ["ab", -2.5], ["abc", -2], ["abcd", -1], ["▁a", -3.5]]})",
      more);
}

/// A SentencePiece model of these pieces: text, score, type.
inline std::string sentencepiece(const std::vector<std::tuple<std::string, float, int>>& pieces, bool byte_fallback = false) {
  std::string bytes;
  for (const auto& [text, score, type] : pieces) {
    std::string piece = "\x0a" + std::string(1, char(text.size())) + text + "\x15";
    for (int i = 0; i < 4; ++i) piece.push_back(char(std::bit_cast<std::uint32_t>(score) >> (8 * i)));
    piece += "\x18" + std::string(1, char(type));
    bytes += "\x0a" + std::string(1, char(piece.size())) + piece;
  }
  if (byte_fallback) bytes += std::string("\x12\x03\x98\x02\x01", 5);
  return bytes;
}

inline std::vector<std::string> tokens(const Tokenizer& tokenizer, std::string_view text, const EncodeOptions& options = {}) {
  const Encoding encoding = tokenizer.encode(text, options);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < encoding.size(); ++i) result.emplace_back(tokenizer.token_text(encoding, i));
  return result;
}

using Offsets = std::vector<std::array<std::uint32_t, 2>>;

/// The code and message of what `action` throws; "" where it does not.
template <class Action>
std::string verdict(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.message();
  }
  return "";
}

}  // namespace webformer::fixtures
