// golden/tokenizer_training: what tokenizers and sentencepiece learn from two small corpora.

#include "support/golden.h"

#ifdef WEBFORMER_SHARED_DIR

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <unordered_map>

#include "formats/tokenizer_files.h"
#include "support/gzip.h"
#include "text/trained.h"

using namespace webformer;
using namespace webformer::fixtures;

namespace {

using Strings = std::vector<std::string>;

std::string read_file(const std::string& path) {
  std::ifstream file(std::string(WEBFORMER_SHARED_DIR) + "/" + path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return path.ends_with(".gz") ? golden::unpack_gzip(bytes) : bytes;
}

Strings first_lines(const std::string& text, std::size_t count) {
  Strings lines;
  for (std::size_t at = 0; at < text.size() && lines.size() < count;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

const Strings& corpus(const std::string& name) {
  static const Strings english = first_lines(read_file("data/corpora/multi30k/train.en.gz"), 3000);
  static const Strings mixed = first_lines(read_file("golden/tokenizer_training/mixed-ko-fr-200.txt"), 200);
  return name == "multi30k-en-3000" ? english : mixed;
}

Strings strings(const Json& list) {
  Strings result;
  for (const Json& item : list.items()) result.emplace_back(item.is_array() ? item.items()[0].get_string() : item.get_string());
  return result;
}

/// left and right, left and right, …
Strings merges(const Tokenizer& tokenizer) {
  Strings result;
  const TokenizerSpec spec = tokenizer.spec();
  const StringPool& pool = std::get<BpeSpec>(spec.model).merges;
  for (std::size_t i = 0; i < pool.size(); ++i) result.emplace_back(pool[i]);
  return result;
}

std::size_t first_difference(const Strings& a, const Strings& b) {
  return std::size_t(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// What is saved encodes as what was trained.
Tokenizer saved_and_loaded(const Tokenizer& trained) {
  const std::string saved = write_tokenizer_json(trained.spec());
  return Tokenizer::compile(read_tokenizer({{"tokenizer.json", saved}}));
}

/// Trains on each corpus by what its golden asks for, and gives `compare` the corpus's name, the golden, and what was learnt.
template <class Compare>
void train_on_corpora(const std::string& file, TrainerKind kind, TrainerOptions options, Compare compare) {
  for (const std::string& name : {std::string("multi30k-en-3000"), std::string("mixed-ko-fr-200")}) {
    CAPTURE(name);
    const JsonDocument document = golden::read_json("golden/tokenizer_training/" + name + "." + file + ".json");
    const Json golden = document.root();
    options.vocab_size = std::size_t(golden["vocab_size_asked"].get_integer());
    compare(name, golden, train(kind, options, corpus(name)));
  }
}

void compare_exactly(const std::string& file, TrainerKind kind, TrainerOptions options) {
  train_on_corpora(file, kind, options, [&](const std::string&, const Json& golden, const Tokenizer& trained) {
    const Strings expected = strings(golden.has("vocab") ? golden["vocab"] : golden["pieces"]), tokens = vocabulary(trained);
    CAPTURE(first_difference(expected, tokens));
    CHECK(tokens == expected);
    if (golden.has("merges") && kind != TrainerKind::wordpiece) {
      Strings pairs;
      for (const Json& merge : golden["merges"].items()) {
        for (const std::string& side : strings(merge)) pairs.push_back(side);
      }
      CAPTURE(first_difference(pairs, merges(trained)));
      CHECK(merges(trained) == pairs);
    }
    const Tokenizer loaded = saved_and_loaded(trained);
    for (const Json& sample : golden["samples"].items()) {
      std::vector<std::int32_t> ids;
      for (const Json& id : sample["ids"].items()) ids.push_back(std::int32_t(id.get_integer()));
      const std::string_view text = sample["text"].get_string();
      CAPTURE(text);
      CHECK(trained.encode(text, {.add_special_tokens = false}).ids == ids);
      CHECK(loaded.encode(text, {.add_special_tokens = false}).ids == ids);
    }
  });
}

/// Of all lines, under scores made to probabilities that sum to one; see the folder's README. Only what is saved counts.
double log_likelihood(const Tokenizer& trained, const Strings& lines) {
  const Tokenizer tokenizer = saved_and_loaded(trained);
  const TokenizerSpec spec = tokenizer.spec();
  const auto& model = std::get<UnigramSpec>(spec.model);
  double sum = 0;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    if (!tokenizer.is_special(std::int32_t(id))) sum += std::exp(model.scores[id]);
  }
  const double unknown_score = std::ranges::min(model.scores) - 10;
  double total = 0;
  for (const std::string& line : lines) {
    for (const std::int32_t id : trained.encode(line, {.add_special_tokens = false}).ids)
      total += (std::uint32_t(id) == model.unknown_id ? unknown_score : model.scores[std::size_t(id)]) - std::log(sum);
  }
  return total;
}

/// Half a percent of the log-likelihood is what different seeds make.
void compare_quality(const std::string& file, TrainerKind kind, TrainerOptions options) {
  train_on_corpora(file, kind, options, [&](const std::string& name, const Json& golden, const Tokenizer& trained) {
    const double expected = golden["quality"]["log_likelihood_normalised"].get_number(), got = log_likelihood(trained, corpus(name));
    MESSAGE(name, " ", file, ": log-likelihood ", got, ", the reference reaches ", expected);
    CHECK(got >= expected * 1.005);
    CHECK(trained.vocab_size() == std::size_t(golden["vocab_size_asked"].get_integer()));
    const Tokenizer loaded = saved_and_loaded(trained);
    for (const Json& sample : golden["samples"].items()) {
      const std::string_view text = sample["text"].get_string();
      CHECK(loaded.encode(text).ids == trained.encode(text).ids);
    }
  });
}

const std::vector<PreTokenizer> whitespace{WhitespacePreTokenizer{}}, metaspace{MetaspaceSpec{}};
const Strings unknown{"<unk>"};

}  // namespace

TEST_CASE("trained words are as those of tokenizers' WordLevelTrainer") {
  compare_exactly("wordlevel", TrainerKind::word, {.min_frequency = 2, .special_tokens = {"<unk>", "<pad>"}});
}
TEST_CASE("trained characters are as those of tokenizers' WordLevelTrainer") {
  compare_exactly("charlevel", TrainerKind::character, {.special_tokens = unknown});
}
TEST_CASE("trained BPE with a Metaspace is as that of tokenizers") {
  compare_exactly("bpe-metaspace", TrainerKind::bpe, {.special_tokens = unknown, .unknown_token = "<unk>", .pre_tokenizers = metaspace});
}
TEST_CASE("trained BPE stops at the least frequency, as that of tokenizers") {
  compare_exactly("bpe-metaspace-minfreq", TrainerKind::bpe,
                  {.min_frequency = 20, .special_tokens = unknown, .unknown_token = "<unk>", .pre_tokenizers = metaspace});
}
TEST_CASE("trained BPE with the end of words marked is as that of tokenizers, words in their order") {
  compare_exactly("bpe-suffix", TrainerKind::bpe, {.special_tokens = unknown, .unknown_token = "<unk>", .end_of_word_suffix = "</w>"});
}
TEST_CASE("trained BPE with a longest token is as that of tokenizers") {
  compare_exactly("bpe-whitespace-limit", TrainerKind::bpe,
                  {.special_tokens = unknown, .unknown_token = "<unk>", .max_token_length = 6, .pre_tokenizers = whitespace});
}
TEST_CASE("trained byte-level BPE is as that of tokenizers") {
  compare_exactly("bpe-bytelevel", TrainerKind::byte_bpe, {.special_tokens = {"<|endoftext|>"}});
}
TEST_CASE("trained WordPiece is as that of tokenizers, words in their order") {
  compare_exactly("wordpiece", TrainerKind::wordpiece, {.special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}});
}
TEST_CASE("a trained unigram model explains its corpus as well as that of tokenizers") {
  compare_quality("unigram", TrainerKind::unigram, {.special_tokens = unknown});
}
TEST_CASE("trained SentencePiece BPE is as that of sentencepiece") { compare_exactly("spm-bpe", TrainerKind::sentencepiece_bpe, {}); }
TEST_CASE("a trained SentencePiece unigram model explains its corpus as well as that of sentencepiece") {
  compare_quality("spm-unigram", TrainerKind::sentencepiece_unigram, {});
}

#endif
