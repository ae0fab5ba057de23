#include "training/objective.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "training/tiny_tokenizers.h"

using namespace webformer;

namespace {

const auto bert_tokenizer = fixtures::wordpiece();
const auto t5_tokenizer = fixtures::words_with_sentinels();
constexpr std::int32_t cls = 2, sep = 3, mask = 4, a = 5;  // of the former
constexpr int none = ignored_label;

ModelConfig encoder(Head head, std::int64_t context = 64) {
  ModelConfig c;
  c.model_type = "bert";
  c.head = head;
  c.vocab_size = 26;
  c.context_length = context;
  c.labels = {"no", "yes"};
  return c;
}

ModelConfig writer(Kind kind = Kind::encoder_decoder, std::int64_t context = 64) {
  ModelConfig c;
  c.model_type = "t5";
  c.kind = kind;
  c.head = Head::causal_lm;
  c.vocab_size = 16;
  c.context_length = context;
  c.eos_token_ids = {1};
  return c;
}

Objective bert(const char* task, Head head, std::int64_t context = 64, ObjectiveOptions options = {}) {
  return Objective(training_task(task), encoder(head, context), bert_tokenizer, bert_tokenizer, std::move(options));
}

Objective t5(const char* task, ObjectiveOptions options = {}, std::int64_t context = 64) {
  return Objective(training_task(task), writer(Kind::encoder_decoder, context), t5_tokenizer, t5_tokenizer, std::move(options));
}

std::vector<Example> read(const Objective& objective, const char* json) {
  const JsonDocument document = JsonDocument::parse(json, "rows");
  return objective.read({document.root(), "rows[7]"});
}

}  // namespace

TEST_CASE("a text, or two, gets the number of its label; labels that the model does not have are refused") {
  const Objective objective = bert("text-classification", Head::sequence_classification);
  const Example one = read(objective, R"({"text": "ab c", "label": "yes"})").at(0);
  CHECK(one.ids == Ids{cls, a, a + 11, a + 2, sep});
  CHECK(one.types.empty());
  CHECK(one.labels == Ids{1});
  const Example two = read(objective, R"({"text": "a", "pair": "b", "label": "no"})").at(0);
  CHECK(two.ids == Ids{cls, a, sep, a + 1, sep});
  CHECK(two.types == Ids{0, 0, 0, 1, 1});
  CHECK_THROWS_WITH_AS(read(objective, R"({"text": "a", "label": "maybe"})"), "rows[7].label: maybe found, one of no, yes expected", Error);
  CHECK_THROWS_WITH_AS(read(objective, R"({"text": 3, "label": "no"})"), "rows[7].text: 3 found, a text expected", Error);
  CHECK_THROWS_WITH_AS(read(objective, R"("a")"), doctest::Contains("an object with text expected"), Error);
}

TEST_CASE("the first piece of a word has its label, whichever part of a long text it is in") {
  const char* row = R"({"words": ["ab", "c", "def"], "labels": ["yes", "no", "yes"]})";
  const auto whole = read(bert("token-classification", Head::token_classification), row);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].ids == Ids{cls, a, a + 11, a + 2, a + 3, a + 14, a + 15, sep});
  CHECK(whole[0].labels == Ids{none, 1, none, 0, 1, none, none, none});
  // Four tokens a part, two of them the template's: a ##b | c d | ##e ##f, whose last has nothing to learn.
  const auto parts = read(bert("token-classification", Head::token_classification, 4), row);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].labels == Ids{none, 1, none, none});
  CHECK(parts[1].labels == Ids{none, 0, 1, none});
  CHECK_THROWS_WITH_AS(read(bert("token-classification", Head::token_classification), R"({"words": ["a"], "labels": []})"),
                       "rows[7]: 1 words and 0 labels found, as many expected", Error);
}

TEST_CASE("an answer is the tokens it covers; windows without all of it, and questions without one, have the first token") {
  const Objective objective = bert("question-answering", Head::question_answering);
  const auto whole = read(objective, R"({"question": "j", "context": "a bc d", "answer": "bc", "start": 2})");
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].ids == Ids{cls, a + 9, sep, a, a + 1, a + 12, a + 3, sep});
  CHECK(whole[0].start == 4);
  CHECK(whole[0].end == 5);
  const auto impossible = read(objective, R"({"question": "j", "context": "a", "answer": ""})");
  CHECK(impossible[0].start == 0);
  CHECK(impossible[0].end == 0);
  // Offsets are UTF-16's: the character before the answer has two units.
  CHECK(read(objective, "{\"question\": \"j\", \"context\": \"\U0001F600 b\", \"answer\": \"b\", \"start\": 3}")[0].start == 4);
  CHECK_THROWS_WITH_AS(read(objective, R"({"question": "j", "context": "a bc d", "answer": "bc", "start": 1})"),
                       "rows[7].start: 1 found, where the context does not go on with the answer", Error);
  // Windows of five tokens of the context that share four: the answer g h is whole in those that begin with d to g.
  const auto windows = read(bert("question-answering", Head::question_answering, 9),
                            R"({"question": "j", "context": "a b c d e f g h i", "answer": "g h", "start": 12})");
  REQUIRE(windows.size() == 5);
  std::vector<std::array<int, 2>> places;
  for (const Example& window : windows) places.push_back({window.start, window.end});
  CHECK(places == std::vector<std::array<int, 2>>{{0, 0}, {0, 0}, {0, 0}, {6, 7}, {5, 6}});
}

TEST_CASE("a translation's target ends with the end token; ids around either side take the place of the template") {
  const Example plain = read(t5("translation", {.prefix = "j "}), R"({"source": "a b", "target": "c"})").at(0);
  CHECK(plain.ids == Ids{12, 3, 4, 1});
  CHECK(plain.labels == Ids{5, 1});
  const ObjectiveOptions codes{.source = Surroundings{{9}, {1}}, .target = Surroundings{{10}, {1}}};
  const Example coded = read(t5("translation", codes), R"({"source": "a b", "target": "c"})").at(0);
  CHECK(coded.ids == Ids{9, 3, 4, 1});
  CHECK(coded.labels == Ids{10, 5, 1});
  CHECK(read(t5("translation", codes, 4), R"({"source": "a b c d e", "target": "c"})").at(0).ids == Ids{9, 3, 4, 1});
}

TEST_CASE("a text to go on with is cut to the model's context, and its last part ends") {
  ModelConfig c = writer(Kind::decoder, 3);
  c.eos_token_ids = {2};
  const Objective objective(training_task("text-generation"), c, t5_tokenizer, t5_tokenizer);
  const auto parts = read(objective, R"("a b c")");  // two tokens and the template's </s>
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].ids == Ids{3, 4, 1});
  CHECK(parts[0].labels == parts[0].ids);
  CHECK(parts[1].ids == Ids{5, 1, 2});
}

TEST_CASE("masks are drawn anew each time, whole words on demand, and the labels are what was there") {
  const Objective pieces = bert("masked-lm", Head::masked_lm);
  const Objective words = bert("masked-lm", Head::masked_lm, 64, {.whole_words = true});
  const char* row = R"("abcd e fgh i j abcd e fgh i j")";
  for (const Objective* objective : {&pieces, &words}) {
    const Example example = read(*objective, row).at(0);
    Random random(1), same(1);
    std::set<Ids> seen;
    for (int round = 0; round < 50; ++round) {
      const Example drawn = objective->draw(example, nullptr, random), again = objective->draw(example, nullptr, same);
      CHECK(drawn.ids == again.ids);
      seen.insert(drawn.ids);
      std::set<std::int32_t> chosen;
      for (std::size_t i = 0; i < drawn.ids.size(); ++i) {
        const bool counts = drawn.labels[i] != none;
        if (counts) chosen.insert(example.words[i]);
        CHECK(drawn.labels[i] == (counts ? example.ids[i] : none));
        if (!counts) CHECK(drawn.ids[i] == example.ids[i]);
        if (drawn.ids[i] != example.ids[i] && drawn.ids[i] != mask) CHECK_FALSE(bert_tokenizer->is_special(drawn.ids[i]));
      }
      CHECK_FALSE(chosen.contains(-1));
      for (std::size_t i = 0; i < drawn.ids.size(); ++i)
        CHECK((drawn.labels[i] != none) == chosen.contains(example.words[i]));
    }
    CHECK(seen.size() > 20);
  }
  const Example in_words = read(words, R"("abcd e")").at(0);
  CHECK(in_words.words == Ids{-1, 0, 0, 0, 0, 1, -1});
}

TEST_CASE("half of the second sentences are those of another row, and the label says so") {
  const Objective objective = bert("masked-lm-next-sentence", Head::pretraining);
  const Example example = read(objective, R"({"first": "a", "second": "b"})").at(0);
  const Example other = read(objective, R"({"first": "c", "second": "d d"})").at(0);
  Random random(2);
  int apart = 0;
  for (int round = 0; round < 400; ++round) {
    const Example drawn = objective.draw(example, &other, random);
    CHECK(drawn.ids.size() == (drawn.next_sentence ? 6 : 5));
    CHECK(drawn.types == (drawn.next_sentence ? Ids{0, 0, 0, 1, 1, 1} : Ids{0, 0, 0, 1, 1}));
    CHECK(std::ranges::count_if(drawn.labels, [](std::int32_t label) { return label != none; }) == 1);
    apart += drawn.next_sentence;
  }
  CHECK(apart > 160);
  CHECK(apart < 240);
  CHECK(objective.draw(example, nullptr, random).next_sentence == 0);
}

TEST_CASE("corrupted spans and what stands for them make the text again") {
  const Objective objective = t5("span-corruption");
  const Example example = read(objective, R"("a b c d e f g h i j")").at(0);
  CHECK(example.ids.size() == 10);
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    const Example drawn = objective.draw(example, nullptr, random);
    REQUIRE(drawn.labels.size() >= 3);
    CHECK(drawn.labels.front() == 14);  // <extra_id_0>
    CHECK(drawn.labels.back() == 1);
    Ids whole;
    for (const std::int32_t id : drawn.ids) {
      if (id == 14) whole.insert(whole.end(), drawn.labels.begin() + 1, drawn.labels.end() - 1);
      else if (id != 1) whole.push_back(id);
    }
    CHECK(whole == example.ids);  // ten tokens have one span
  }
}

TEST_CASE("noise masks spans and moves sentences; what is learned is the text as it was") {
  const Objective objective = t5("denoising");
  const Example example = read(objective, R"("a b c d e f g h i j")").at(0);
  Random random(4);
  double masked = 0;
  for (int round = 0; round < 200; ++round) {
    const Example drawn = objective.draw(example, nullptr, random);
    CHECK(drawn.labels == example.ids);
    CHECK(drawn.ids.back() == 1);
    const auto kept = std::ranges::count_if(drawn.ids, [](std::int32_t id) { return id >= 3 && id <= 12; });
    CHECK(kept == 7);  // 30 % of ten tokens are gone
    masked += double(std::ranges::count(drawn.ids, 15));
  }
  CHECK(masked / 200 > 1);
  ModelConfig c = writer();
  c.vocab_size = 26;
  const Objective sentences(training_task("denoising"), c, bert_tokenizer, bert_tokenizer);
  const Example two = read(sentences, R"("a b. c d.")").at(0);
  std::map<bool, int> order;
  for (int round = 0; round < 200; ++round) {
    const Example drawn = sentences.draw(two, nullptr, random);
    const auto first = std::ranges::find(drawn.ids, a), second = std::ranges::find(drawn.ids, a + 2);
    if (first != drawn.ids.end() && second != drawn.ids.end()) ++order[first < second];
    CHECK(drawn.ids.front() == cls);
    CHECK(drawn.ids.back() == sep);
  }
  CHECK(order[true] > 20);
  CHECK(order[false] > 20);
}

TEST_CASE("a model, or a tokenizer, that is not one for a task is refused by what it lacks") {
  CHECK_THROWS_WITH_AS(training_task("masked"), doctest::Contains("masked found, one of text-classification, "), Error);
  CHECK_THROWS_WITH_AS(bert("text-classification", Head::masked_lm),
                       "train: task 'text-classification' found, but this bert model has no labels for texts", Error);
  CHECK_THROWS_WITH_AS(Objective(training_task("masked-lm"), encoder(Head::masked_lm), nullptr, nullptr), doctest::Contains("no tokenizer"),
                       Error);
  CHECK_THROWS_WITH_AS(Objective(training_task("span-corruption"), writer(), bert_tokenizer, bert_tokenizer),
                       doctest::Contains("<extra_id_0>"), Error);
}
