// golden/tokenizers: what tokenizers and sentencepiece make of texts, for every tokenizer whose vocabulary is at hand.

#include "published.h"

#ifdef WEBFORMER_SHARED_DIR

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "core/utf8.h"

using namespace webformer;
using namespace webformer::fixtures;

namespace {

std::vector<std::int32_t> numbers(Json json) {
  std::vector<std::int32_t> result;
  for (const Json& item : json.items()) result.push_back(std::int32_t(item.get_integer()));
  return result;
}

std::vector<std::array<std::uint32_t, 2>> pairs(Json json) {
  std::vector<std::array<std::uint32_t, 2>> result;
  for (const Json& item : json.items()) {
    const std::vector<Json> pair = item.items();
    result.push_back({std::uint32_t(pair[0].get_integer()), std::uint32_t(pair[1].get_integer())});
  }
  return result;
}

std::string shown(const std::vector<std::int32_t>& list) {
  std::string text;
  for (const auto one : list) text += std::to_string(one) + " ";
  return text;
}
std::string shown(const std::vector<std::array<std::uint32_t, 2>>& list) {
  std::string text;
  for (const auto& [begin, end] : list) text += std::to_string(begin) + "-" + std::to_string(end) + " ";
  return text;
}
std::string shown(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& one : list) text += one + "|";
  return text;
}
std::string shown(std::string text) { return text; }

/// Counts all comparisons of a golden file, and shows the first that differ.
struct Comparison {
  std::string name;
  int compared = 0, wrong = 0;

  template <class Value>
  void same(const std::string& what, const Value& got, const Value& expected) {
    ++compared;
    if (got == expected) return;
    static const bool all = std::getenv("WEBFORMER_ALL_FAILURES") != nullptr;
    if (++wrong <= 3 || all) MESSAGE(name, ", ", what, "\n  got      ", shown(got), "\n  expected ", shown(expected));
  }
  void finish() {
    MESSAGE(name, ": ", compared - wrong, " of ", compared, " comparisons");
    CHECK(compared > 0);
    CHECK(wrong == 0);
  }
};

std::vector<std::string> tokens_of(const Tokenizer& tokenizer, const Encoding& encoding) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < encoding.size(); ++i) tokens.emplace_back(tokenizer.token_text(encoding, i));
  return tokens;
}

/// Ids pushed one by one give the same text as all at once, always in whole characters.
void compare_decoded(Comparison& compare, const std::string& label, const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids,
                     bool skips, const std::string& expected) {
  compare.same(label + " decoded", tokenizer.decode(ids, skips), expected);
  DecodeStream stream(tokenizer, skips);
  std::string text;
  for (const std::int32_t id : ids) {
    const std::string piece = DecodeStream(stream).push(std::span(&id, 1));
    CHECK(piece == stream.push(std::span(&id, 1)));
    CHECK_FALSE(repair_utf8(piece));
    text += piece;
  }
  compare.same(label + " streamed", text + stream.end(), expected);
}

void compare_case(Comparison& compare, const Tokenizer& tokenizer, Json item, bool is_bare) {
  const std::string text(item["text"].get_string());
  const std::string label = item.get_or("name", "") + " " + text.substr(0, 80);
  EncodeOptions options;
  options.add_special_tokens = item.get_or("add_special_tokens", !is_bare);
  if (item.has("pair")) options.pair = item["pair"].get_string();
  const Encoding encoding = tokenizer.encode(text, options);
  compare.same(label + " ids", encoding.ids, numbers(item["ids"]));
  std::vector<std::string> tokens;
  for (const Json& token : item["tokens"].items()) tokens.emplace_back(token.get_string());
  compare.same(label + " tokens", tokens_of(tokenizer, encoding), tokens);
  if (item.has("offsets")) compare.same(label + " offsets", encoding.offsets, pairs(item["offsets"]));
  if (item.has("type_ids")) compare.same(label + " type_ids", encoding.type_ids, numbers(item["type_ids"]));
  if (item.has("word_ids")) {
    std::vector<std::int32_t> words;
    for (const Json& word : item["word_ids"].items()) words.push_back(word.is_null() ? -1 : std::int32_t(word.get_integer()));
    compare.same(label + " word_ids", encoding.word_ids, words);
  }
  if (item.has("normalized"))
    compare.same(label + " normalized", tokenizer.trace(text).normalized, std::string(item["normalized"].get_string()));
  const std::vector<std::int32_t> ids = numbers(item["ids"]);
  const auto decoded = item["decoded"];
  compare_decoded(compare, label, tokenizer, ids, true, std::string(decoded.get_string()));
  if (is_bare) return;
  compare_decoded(compare, label + " with special", tokenizer, ids, false,
                  std::string((item.has("decoded_with_special") ? item["decoded_with_special"] : decoded).get_string()));
}

Side side_of(Json json) { return json.get_or("direction", "right") == "left" ? Side::left : Side::right; }

void compare_part(Comparison& compare, const std::string& label, const Encoding& got, Json expected) {
  compare.same(label + " ids", got.ids, numbers(expected["ids"]));
  if (expected.has("offsets")) compare.same(label + " offsets", got.offsets, pairs(expected["offsets"]));
  // In the overflow tokenizers leaves the second text its type 1, whatever the template says; here it is as in the first part.
  const bool is_overflow = label.find("overflow") != std::string::npos;
  if (expected.has("type_ids") && !is_overflow) compare.same(label + " type_ids", got.type_ids, numbers(expected["type_ids"]));
  const auto widened = [](const std::vector<std::uint8_t>& mask) { return std::vector<std::int32_t>(mask.begin(), mask.end()); };
  if (expected.has("attention_mask"))
    compare.same(label + " attention_mask", widened(got.attention_mask), numbers(expected["attention_mask"]));
  if (expected.has("special_tokens_mask"))
    compare.same(label + " special_tokens_mask", widened(got.special_mask), numbers(expected["special_tokens_mask"]));
}

void compare_truncation(Comparison& compare, const Tokenizer& tokenizer, Json item) {
  EncodeOptions options;
  std::string label = "truncation";
  if (const Json truncation = item["truncation"]; !truncation.is_null()) {
    label += " " + truncation.to_json();
    options.truncation.emplace();
    options.truncation->max_length = std::size_t(truncation["max_length"].get_integer());
    options.truncation->stride = std::size_t(truncation.get_or("stride", 0));
    options.truncation->direction = side_of(truncation);
    const std::string strategy = truncation.get_or("strategy", "longest_first");
    options.truncation->strategy = strategy == "only_first"    ? TruncationStrategy::only_first
                                   : strategy == "only_second" ? TruncationStrategy::only_second
                                                               : TruncationStrategy::longest_first;
  }
  if (const Json padding = item["padding"]; !padding.is_null()) {
    label += " " + padding.to_json();
    options.padding.emplace();
    if (padding.has("length")) options.padding->length = std::size_t(padding["length"].get_integer());
    options.padding->multiple_of = std::size_t(padding.get_or("pad_to_multiple_of", 0));
    options.padding->direction = side_of(padding);
    if (padding.has("pad_id")) options.padding->id = std::int32_t(padding["pad_id"].get_integer());
    if (padding.has("pad_token")) options.padding->token = std::string(padding["pad_token"].get_string());
    options.padding->type_id = std::int32_t(padding.get_or("pad_type_id", 0));
  }
  if (item.has("batch")) {
    std::vector<std::pair<std::string_view, std::optional<std::string_view>>> texts;
    for (const Json& text : item["batch"].items()) texts.emplace_back(text.get_string(), std::nullopt);
    const std::vector<Encoding> rows = tokenizer.encode_batch(texts, options);
    const std::vector<Json> expected = item["results"].items();
    for (std::size_t i = 0; i < rows.size(); ++i) compare_part(compare, label + " row " + std::to_string(i), rows[i], expected[i]);
    return;
  }
  if (item.has("pair")) options.pair = item["pair"].get_string();
  const std::string text(item["text"].get_string());
  if (item.has("error")) {
    CHECK_THROWS_AS(tokenizer.encode(text, options), Error);
    return;
  }
  const Encoding encoding = tokenizer.encode(text, options);
  compare_part(compare, label, encoding, item["result"]);
  std::vector<std::string> tokens;
  for (const Json& token : item["result"]["tokens"].items()) tokens.emplace_back(token.get_string());
  compare.same(label + " tokens", tokens_of(tokenizer, encoding), tokens);
  compare.same(label + " overflow", std::vector{std::int32_t(encoding.overflow.size())},
               std::vector{std::int32_t(item.get_or("overflowing_count", 0))});
  if (!item.has("overflowing")) return;
  const std::vector<Json> parts = item["overflowing"].items();
  for (std::size_t i = 0; i < parts.size() && i < encoding.overflow.size(); ++i) {
    compare_part(compare, label + " overflow " + std::to_string(i), encoding.overflow[i], parts[i]);
  }
}

/// Bytes of malformed UTF-8: the offsets count them, and so each byte that became U+FFFD.
void compare_malformed(Comparison& compare, const Tokenizer& tokenizer, Json item) {
  const std::string_view hex = item["bytes"].get_string();
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes.push_back(char(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  const std::string label = "bytes " + std::string(hex);
  EncodeOptions options;
  options.add_special_tokens = false;
  Encoding encoding = tokenizer.encode(bytes, options);
  compare.same(label + " ids", encoding.ids, numbers(item["ids"]));
  std::vector<std::uint32_t> byte_at{0};  // of each UTF-16 unit
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Step step = utf8_step(bytes, at);
    const std::size_t width = step.is_valid ? step.width : 1;
    if (width == 4) byte_at.push_back(byte_at.back() + 4);
    at += width;
    byte_at.push_back(std::uint32_t(at));
  }
  for (auto& [begin, end] : encoding.offsets) begin = byte_at.at(begin), end = byte_at.at(end);
  compare.same(label + " offsets", encoding.offsets, pairs(item["offsets_bytes"]));
  compare_decoded(compare, label, tokenizer, encoding.ids, true, std::string(item["decoded"].get_string()));
}

std::vector<AddedToken> added_tokens(Json golden) {
  std::vector<AddedToken> tokens;
  for (const Json& token : golden["added_tokens"].items()) {
    tokens.push_back({std::string(token["content"].get_string()), token["special"].get_bool(), token["lstrip"].get_bool(),
                      token["rstrip"].get_bool(), token["single_word"].get_bool(), token["normalized"].get_bool()});
  }
  return tokens;
}

void compare_golden(const std::string& name, Tokenizer tokenizer, bool is_bare = false) {
  const JsonDocument document = golden::read_json("golden/tokenizers/" + name + ".json");
  const Json golden = document.root();
  Comparison compare{name};
  const auto each = [&](std::string_view list, const auto& use) {
    if (golden.has(list)) {
      for (const Json& item : golden[list].items()) use(item);
    }
  };
  CHECK(tokenizer.vocab_size() == std::size_t(golden["vocab_size"].get_integer()));
  if (golden.has("special_tokens")) {
    for (const auto& [token, id] : golden["special_tokens"].members()) CHECK(tokenizer.id_of(token) == std::int32_t(id.get_integer()));
  }
  each("cases", [&](Json item) { compare_case(compare, tokenizer, item, is_bare); });
  each("decode_cases", [&](Json item) {
    compare_decoded(compare, "random ids", tokenizer, numbers(item["ids"]), true, std::string(item["decoded"].get_string()));
  });
  each("truncation_cases", [&](Json item) { compare_truncation(compare, tokenizer, item); });
  each("invalid_utf8_cases", [&](Json item) { compare_malformed(compare, tokenizer, item); });
  each("chat_cases", [&](Json item) {
    EncodeOptions options;
    options.add_special_tokens = false;
    compare.same("chat ids", tokenizer.encode(item["rendered"].get_string(), options).ids, numbers(item["ids"]));
  });
  if (golden.has("added_tokens")) tokenizer.add_tokens(added_tokens(golden));
  each("added_token_cases", [&](Json item) { compare_case(compare, tokenizer, item, is_bare); });
  compare.finish();
}

void compare_published(const std::string& name) {
  const Published& published = *std::ranges::find(published_tokenizers(), name, &Published::name);
  compare_golden(name, load(published), published.is_bare);
}

void compare_npm(const std::string& name) {
  if (auto tokenizer = load_npm(name)) compare_golden(name, std::move(*tokenizer));
  else MESSAGE(name, ": skipped, WEBFORMER_NPM names no node_modules that has it");
}

}  // namespace

TEST_CASE("bert-uncased: WordPiece from vocab.txt") { compare_published("bert-uncased"); }
TEST_CASE("gpt2: byte-level BPE from vocab.json and merges.txt") { compare_published("gpt2"); }
TEST_CASE("smollm2: byte-level BPE from the metadata of a GGUF file") { compare_published("smollm2"); }
TEST_CASE("gpt-neox: byte-level BPE with added runs of spaces") { compare_published("gpt-neox"); }
TEST_CASE("clip: BPE with the end of words marked") { compare_published("clip"); }
TEST_CASE("llama2: SentencePiece BPE") { compare_published("llama2"); }
TEST_CASE("llama2-hf: the same as tokenizer.json") { compare_published("llama2-hf"); }
TEST_CASE("mistral: BPE with a prefix at the very start only") { compare_published("mistral"); }
TEST_CASE("albert: SentencePiece unigram") { compare_published("albert"); }
TEST_CASE("albert-hf: the same as tokenizer.json") { compare_published("albert-hf"); }
TEST_CASE("t5: SentencePiece unigram with user-defined pieces") { compare_published("t5"); }
TEST_CASE("t5-hf: the same as tokenizer.json") { compare_published("t5-hf"); }
TEST_CASE("opus-fr: SentencePiece unigram of Marian") { compare_published("opus-fr"); }
TEST_CASE("spm-small: SentencePiece unigram with a thousand pieces") { compare_published("spm-small"); }
TEST_CASE("xlmr-like: XLM-RoBERTa's layout") { compare_published("xlmr-like"); }
TEST_CASE("xlnet: a tokenizer.json of the first versions") { compare_published("xlnet"); }
TEST_CASE("mon: unigram with byte fallback") { compare_published("mon"); }
TEST_CASE("qwen3: NFC, and each digit a word") { compare_npm("qwen3"); }
TEST_CASE("llama3: whole words before merges") { compare_npm("llama3"); }
TEST_CASE("gemma3: no words, and thousands of added tokens") { compare_npm("gemma3"); }

#endif
