// RELIABILITY.md, section C: tokenizer files that are broken, or meant to break. The numbers are its numbers.
#include <doctest/doctest.h>

#include <chrono>

#include "fixtures.h"
#include "formats/base64.h"

using namespace webformer;
using namespace webformer::fixtures;

namespace {

std::string refused(const std::string& json) {
  return verdict([&] { from_json(json).encode("a"); });
}
std::string refused_file(const std::string& name, std::string_view bytes) {
  return verdict([&] { Tokenizer::compile(read_tokenizer({{name, bytes}})).encode("a"); });
}
bool begins(const std::string& text, std::string_view with) { return text.starts_with(with); }
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string unigram_with(const std::string& vocabulary, const std::string& more = "") {
  return with_model(R"({"type": "Unigram", "vocab": )" + vocabulary + (more.empty() ? "" : ", " + more) + "}");
}
std::string bpe_with(const std::string& vocabulary, const std::string& merges, const std::string& more = "") {
  return with_model(R"({"type": "BPE", "vocab": )" + vocabulary + R"(, "merges": )" + merges + (more.empty() ? "" : ", " + more) + "}");
}

}  // namespace

TEST_CASE("48: what is not JSON, or no tokenizer, is invalid_file") {
  for (const char* text :
       {"", " ", "<!doctype html><html></html>", "[]", "42", "{}", R"({"model": )", R"({"model": 5})", R"({"model": {}})"}) {
    CHECK_MESSAGE(begins(refused(text), "invalid_file: tokenizer.json"), text);
  }
  CHECK(begins(verdict([] { read_tokenizer({}); }), "invalid_file: no tokenizer among the 0 files"));
  CHECK(begins(verdict([] { read_tokenizer({{"model.safetensors", "x"}}); }), "invalid_file: no tokenizer"));
}

TEST_CASE("49: an unknown type is named with its path, and what is supported") {
  CHECK(refused(with_model(R"({"type": "Neural"})")) ==
        "unsupported_model: tokenizer.json: model.type is \"Neural\"; supported are BPE, WordPiece, WordLevel, Unigram");
  CHECK(begins(refused(bpe(R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Rot13"}]})")),
               "unsupported_model: tokenizer.json: normalizer.normalizers[1].type is \"Rot13\"; supported are Sequence, BertNormalizer"));
  CHECK(
      begins(refused(bpe(R"("pre_tokenizer": {"type": "Splat"})")), "unsupported_model: tokenizer.json: pre_tokenizer.type is \"Splat\""));
  CHECK(begins(refused(bpe(R"("post_processor": {"type": "Splat"})")), "unsupported_model: tokenizer.json: post_processor.type"));
  CHECK(begins(refused(bpe(R"("decoder": {"type": "Splat"})")), "unsupported_model: tokenizer.json: decoder.type"));
  CHECK(begins(refused(bpe(R"("pre_tokenizer": {})")), "invalid_file: tokenizer.json: pre_tokenizer.type"));
}

TEST_CASE("50: a merge must name two tokens, and what they become, of the vocabulary") {
  const std::string abc = R"({"a": 0, "b": 1, "ab": 2})";
  CHECK(refused(bpe_with(abc, R"([["a", "b"]])")) == "");
  CHECK(refused(bpe_with(abc, R"(["a b"])")) == "");
  CHECK(refused(bpe_with(abc, R"([["a", "b"], ["a", "x"]])")) ==
        "invalid_file: tokenizer.json: model.merges[1] (\"a\" \"x\"): \"x\" is not in the vocabulary");
  CHECK(has(refused(bpe_with(abc, R"(["b a"])")), "\"ba\" is not in the vocabulary"));
  for (const char* merge : {R"("ab")", R"("a b c")", R"(["a"])", R"(["a", "b", "c"])", R"(["a", 1])", "5", R"(["", "b"])", R"("a ")"}) {
    CHECK_MESSAGE(begins(refused(bpe_with(abc, "[" + std::string(merge) + "]")), "invalid_file: tokenizer.json: "), merge);
  }
}

TEST_CASE("51: ids are whole numbers of one token each; gaps are allowed") {
  CHECK(begins(refused(bpe_with(R"({"a": 0, "b": 0})", "[]")), "invalid_file: tokenizer.json: the tokens \"a\" and \"b\" have one id, 0"));
  CHECK(refused(bpe_with(R"({"a": 0, "b": 7000})", "[]")) == "");
  for (const char* id : {"-1", "2147483648", "1.5", "1e30", "\"0\"", "null", "2147483647"}) {
    CHECK_MESSAGE(begins(refused(bpe_with(R"({"a": )" + std::string(id) + "}", "[]")), "invalid_file: tokenizer.json: "), id);
  }
}

TEST_CASE("52: an unknown token that is named but not there is invalid_file") {
  CHECK(refused(bpe_with(R"({"a": 0})", "[]", R"("unk_token": "<unk>")")) ==
        "invalid_file: tokenizer.json: model.unk_token \"<unk>\" is not in the vocabulary");
  CHECK(begins(refused(with_model(R"({"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"a": 0}})")),
               "invalid_file: tokenizer.json: model.unk_token"));
  CHECK(refused(unigram_with(R"([["a", 0]])", R"("unk_id": 1)")) ==
        "invalid_file: tokenizer.json: model.unk_id is 1, below 1 expected, the size of the vocabulary");
  CHECK(begins(refused(unigram_with(R"([["a", 0]])", R"("unk_id": -1)")), "invalid_file: tokenizer.json: model.unk_id is -1"));
}

TEST_CASE("a character without any token is left out, where no unknown token is said") {
  CHECK(tokens(from_json(bpe_with(R"({"a": 0})", "[]")), "a?a") == std::vector<std::string>{"a", "a"});
  CHECK(tokens(from_json(unigram_with(R"([["a", 0]])")), "a?a") == std::vector<std::string>{"a", "a"});
}

TEST_CASE("53: tokens that only look like bytes are no bytes") {
  const std::string vocabulary = R"({"<unk>": 0, "a": 1, "<0x-1>": 2, "<0xZZ>": 3, "<0x100>": 4, "<0xC3>": 5})";
  const Tokenizer tokenizer = from_json(bpe_with(vocabulary, "[]", R"("unk_token": "<unk>", "byte_fallback": true)"));
  CHECK(tokenizer.encode("aé").ids == std::vector<std::int32_t>{1, 0});  // of its two bytes one is missing
  CHECK(begins(refused_file("x.model", sentencepiece({{"<unk>", 0, 2}, {"<0x100>", 0, 6}}, true)),
               "invalid_file: x.model: piece 1 (\"<0x100>\") is no byte"));
  CHECK(has(refused_file("x.model", sentencepiece({{"<unk>", 0, 2}, {"<0x00>", 0, 6}}, true)), "256 bytes"));
  CHECK(has(refused_file("x.model", sentencepiece({{"<unk>", 0, 2}, {"<0x00>", 0, 6}})), "without byte_fallback"));
}

TEST_CASE("54: scores are finite numbers, and an empty piece is never taken") {
  CHECK(begins(refused(unigram_with(R"([["a", 1e999]])")), "invalid_file: tokenizer.json"));
  CHECK(begins(refused(unigram_with(R"([["a", "NaN"]])")), "invalid_file: tokenizer.json: model.vocab[0][1]"));
  CHECK(begins(refused(unigram_with("[]")), "invalid_file: tokenizer.json: model.vocab is empty"));
  CHECK(tokens(from_json(unigram_with(R"([["", 9], ["a", 0], ["b", 0], ["ab", 0]])")), "abab") == std::vector<std::string>{"ab", "ab"});
  const float nan = std::bit_cast<float>(0x7fc00000u);
  CHECK(has(refused_file("x.spm", sentencepiece({{"<unk>", 0, 2}, {"a", nan, 1}})), "no finite number"));
  CHECK(has(refused_file("x.spm", sentencepiece({{"<unk>", 0, 2}, {"", 0, 1}})), "is empty"));
}

TEST_CASE("55: added tokens may overlap, an empty one is none, and one id is for one of them") {
  const Tokenizer tokenizer =
      from_json(bpe(R"("added_tokens": [)" + added("ab", 20) + ", " + added("bc", 21) + ", " + added("", 22) + "]"));
  CHECK(tokenizer.encode("abc").ids == std::vector<std::int32_t>{20, 0});
  CHECK(has(refused(bpe(R"("added_tokens": [)" + added("x", 20) + ", " + added("y", 20) + "]")),
            "the added token \"y\" has the id 20, which \"x\" has"));
  CHECK(begins(refused(bpe(R"("added_tokens": [)" + added("x", -1) + "]")), "invalid_file: tokenizer.json: added_tokens[0].id"));
}

TEST_CASE("56: a pattern that cannot be run is refused at load, and a catastrophic one runs in linear time") {
  const auto split = [](const std::string& pattern) {
    return bpe(R"j("pre_tokenizer": {"type": "Split", "pattern": {"Regex": ")j" + pattern + R"j("}, "behavior": "Isolated"})j");
  };
  CHECK(
      begins(refused(split("(a)\\\\1")), "unsupported_model: tokenizer.json: pre_tokenizer 0: the pattern \"(a)\\1\" has a backreference"));
  CHECK(begins(refused(split("(a")), "invalid_file: tokenizer.json: pre_tokenizer 0: the pattern"));
  const auto start = std::chrono::steady_clock::now();
  CHECK(from_json(split("(a+)+$")).encode(std::string(200'000, 'a') + "b").size() > 0);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("57: a broken charsmap is refused, and a malicious one does no harm") {
  const auto precompiled = [](const std::string& bytes) {
    return bpe(R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": ")" + encode_base64(bytes) + "\"}");
  };
  CHECK(begins(refused(bpe(R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": "#"})")),
               "invalid_file: tokenizer.json: normalizer.precompiled_charsmap is no Base64"));
  CHECK(begins(refused(bpe(R"("normalizer": {"type": "Precompiled"})")),
               "invalid_file: tokenizer.json: normalizer.precompiled_charsmap is missing"));
  CHECK(begins(refused(precompiled("abc")), "invalid_file: tokenizer.json: normalizer 0: 3 bytes"));
  CHECK(
      begins(refused(precompiled(std::string("\xff\0\0\0zzz", 7))), "invalid_file: tokenizer.json: normalizer 0: the trie has 255 bytes"));
  // Units that lead everywhere and nowhere: offsets beyond the end, cycles, values beyond the replacements.
  std::uint32_t random = 1;
  for (int round = 0; round < 200; ++round) {
    std::string bytes("\0\4\0\0", 4);
    for (int i = 0; i < 1024; ++i) bytes.push_back(char((random = random * 1664525 + 1013904223) >> 24));
    CHECK(refused(precompiled(bytes + "x\0é\0")) == "");
    CHECK(verdict([&] { from_json(precompiled(bytes)).encode("the quick brown ﬁ \u0301 fox 東京"); }) == "");
  }
}

TEST_CASE("58: a template must define what it names") {
  const auto processing = [](const std::string& single) {
    return bpe(R"("post_processor": {"type": "TemplateProcessing", "single": )" + single + R"(, "pair": [], "special_tokens": {}})");
  };
  CHECK(refused(processing(R"([{"SpecialToken": {"id": "[CLS]", "type_id": 0}}])")) ==
        "invalid_file: tokenizer.json: post_processor.single[0].SpecialToken.id is \"[CLS]\", which special_tokens does not define");
  CHECK(has(refused(processing(R"([{"Sequence": {"id": "C", "type_id": 0}}])")), "is \"C\", A or B expected"));
  CHECK(has(refused(processing(R"([{"Sequence": {"id": "B", "type_id": 0}}])")), "the template of one text names the sequence B"));
  CHECK(begins(refused(processing(R"(["$A"])")), "invalid_file"));
}

TEST_CASE("59: a vocabulary of half a million entries loads in seconds") {
  std::string vocabulary;
  for (int i = 0; i < 500'000; ++i) vocabulary += (i == 0 ? "\"t" : ", \"t") + std::to_string(i) + "\": " + std::to_string(i);
  const auto start = std::chrono::steady_clock::now();
  const Tokenizer tokenizer = from_json(bpe_with("{" + vocabulary + "}", "[]"));
  CHECK(tokenizer.vocab_size() == 500'000);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("60: unpaired surrogate escapes in the JSON are refused") {
  CHECK(begins(refused(bpe_with(R"({"\ud800": 0})", "[]")), "invalid_file: tokenizer.json"));
}

TEST_CASE("a SentencePiece file that is cut or none is refused") {
  const std::string whole = sentencepiece({{"<unk>", 0, 2}, {"▁", -1, 1}, {"a", -2, 1}});
  CHECK(refused_file("x.model", whole) == "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string verdict = refused_file("x.model", std::string_view(whole).substr(0, size));
    CHECK((begins(verdict, "invalid_file: x.model") || verdict == ""));  // a cut between fields leaves a smaller model
  }
  for (const char* text : {"<html>", "version https://git-lfs.github.com/spec/v1", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "{}"}) {
    CHECK(begins(refused_file("x.model", text), "invalid_file: x.model"));
  }
}

TEST_CASE("vocabulary files name their line") {
  CHECK(begins(verdict([] { read_tokenizer({{"vocab.json", "{}"}, {"merges.txt", "#version: 0.2\na b\nab"}}); }),
               "invalid_file: merges.txt: line 3 is \"ab\""));
  CHECK(has(verdict([] { read_tokenizer({{"vocab.txt", "a\nb\n"}}); }), "no token \"[SEP]\""));
  CHECK(begins(verdict([] { read_tokenizer({{"vocab.txt", "\xff"}}); }), "invalid_file: vocab.txt: the text is not UTF-8"));
  CHECK(begins(verdict([] { read_tokenizer({{"vocab.txt", "a"}, {"tokenizer_config.json", "[1]"}}); }),
               "invalid_file: tokenizer_config.json"));
}
