#include "training/word_vectors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/error.h"
#include "formats/safetensors.h"

using namespace webformer;

namespace {

/// Trains on the texts, and gives the steps.
std::vector<WordVectorStep> train(WordVectorTrainer& trainer, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) trainer.feed(text);
  trainer.begin();
  std::vector<WordVectorStep> steps;
  Schedule schedule;
  while (!trainer.done()) steps.push_back(Job<WordVectorStep>(schedule, trainer.step(schedule)).finish());
  return steps;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) ab += double(a[i]) * b[i], aa += double(a[i]) * a[i], bb += double(b[i]) * b[i];
  return ab / std::sqrt(aa * bb);
}

std::span<const float> vector_of(const WordVectors& v, const std::string& word) {
  const auto place = std::ranges::find(v.words, word) - v.words.begin();
  const auto width = std::size_t(v.vectors.shape[1]);
  return std::span(v.vectors.data).subspan(std::size_t(place) * width, width);
}

/// The word that is nearest to a - b + c, none of which counts.
std::string analogy(const WordVectors& v, const std::string& a, const std::string& b, const std::string& c) {
  std::vector<float> target(vector_of(v, a).begin(), vector_of(v, a).end());
  for (std::size_t i = 0; i < target.size(); ++i) target[i] += vector_of(v, c)[i] - vector_of(v, b)[i];
  std::string best;
  double most = -2;
  for (const std::string& word : v.words) {
    const double score = cosine(target, vector_of(v, word));
    if (word == a || word == b || word == c || score <= most) continue;
    most = score;
    best = word;
  }
  return best;
}

/// Texts that say of each of four who it is, and what it does.
std::vector<std::string> royal_texts() {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& who, const std::vector<std::string>& with) {
    for (const std::string& one : with)
      for (const std::string& other : with)
        if (one != other) texts.push_back(one + " " + who + " " + other);
  };
  const std::vector<std::string> royal{"crown", "throne", "palace"}, common{"field", "village", "plough"}, male{"he", "beard", "sir"},
      female{"she", "dress", "lady"};
  const auto both = [](std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  for (int i = 0; i < 10; ++i) {
    add("king", both(royal, male));
    add("queen", both(royal, female));
    add("man", both(common, male));
    add("woman", both(common, female));
  }
  return texts;
}

}  // namespace

TEST_CASE("king - man + woman is queen where the texts say so, by skip-gram and CBOW, by negatives and by a softmax") {
  for (const bool cbow : {false, true}) {
    for (const std::int64_t negatives : {5, 0}) {
      CAPTURE(cbow);
      CAPTURE(negatives);
      WordVectorTrainer trainer({.cbow = cbow, .dimensions = 16, .window = 2, .negatives = negatives, .epochs = 30, .subsample = 0,
                                 .learning_rate = 0.05, .seed = 1});
      const auto steps = train(trainer, royal_texts());
      CHECK(steps.back().loss < 0.9 * steps.front().loss);
      CHECK(analogy(trainer.vectors(), "king", "man", "woman") == "queen");
      CHECK(analogy(trainer.vectors(), "woman", "queen", "king") == "man");
    }
  }
}

TEST_CASE("the same seed learns the same vectors, another one others; words are ordered by how often they are") {
  const std::vector<std::string> texts{"b a b c, b!", "a Été b_2 b_2"};
  const auto vectors = [&](std::uint64_t seed) {
    WordVectorTrainer trainer({.dimensions = 8, .seed = seed});
    train(trainer, texts);
    return trainer.vectors();
  };
  const WordVectors first = vectors(1);
  CHECK(first.words == std::vector<std::string>{"b", "a", "b_2", "c", "Été"});
  CHECK(first.vectors.data == vectors(1).vectors.data);
  CHECK(first.vectors.data != vectors(2).vectors.data);
}

TEST_CASE("steps are counted beforehand, rare words left out, and the rate falls to nearly nothing") {
  std::vector<std::string> texts(3000, "one two three four five");
  texts.emplace_back("");
  texts.emplace_back("seldom");
  texts.emplace_back("");
  WordVectorTrainer trainer({.dimensions = 4, .epochs = 3, .min_count = 2, .learning_rate = 0.1});
  for (const std::string& text : texts) trainer.feed(text);
  trainer.begin();
  CHECK(trainer.total() == 6);  // of 10 000 words, and of the other 5000
  Schedule schedule;
  std::vector<WordVectorStep> steps;
  while (!trainer.done()) steps.push_back(Job<WordVectorStep>(schedule, trainer.step(schedule)).finish());
  CHECK(steps.size() == 6);
  CHECK(steps[0].words == 10'000);
  CHECK(steps[1].words == 5000);
  CHECK(steps[2].epoch == 1);
  CHECK(steps[0].learning_rate > 0.07);
  CHECK(steps[5].learning_rate < 0.001);
  CHECK(trainer.vectors().words == std::vector<std::string>{"one", "two", "three", "four", "five"});
  const auto file = trainer.checkpoint();
  CHECK(file.size() > 2 * 5 * 4 * sizeof(float));
}

TEST_CASE("frequent words are kept as the formula says") {
  CHECK(keep_probability(0.01, 0) == 1);
  CHECK(keep_probability(1e-4, 1e-3) == 1);
  CHECK(keep_probability(0.1, 1e-3) == doctest::Approx(0.11));
  const std::vector<std::int64_t> counts{16, 1};
  CHECK(noise_distribution(counts)[0] == doctest::Approx(8.0 / 9));
}

TEST_CASE("numbers that are none, and texts without two words, are refused") {
  const auto refused = [](const WordVectorConfig& config, const char* name) {
    CHECK_THROWS_WITH_AS(WordVectorTrainer{config}, doctest::Contains(name), Error);
  };
  refused({.dimensions = 0}, "dimensions");
  refused({.window = 0}, "window");
  refused({.negatives = -1}, "negatives");
  refused({.epochs = 0}, "epochs");
  refused({.subsample = -1}, "subsample");
  refused({.learning_rate = std::nan("")}, "learningRate");
  WordVectorTrainer trainer({});
  trainer.feed("word word");
  CHECK_THROWS_WITH_AS(trainer.begin(), "texts: 1 words are there at least 1 times, 2 expected", Error);
}
