#include "decoding/processors.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support.h"

using namespace webformer;

namespace {

using Scores = std::vector<float>;
using Ids = std::vector<std::int32_t>;

/// What process_logits leaves of `scores`.
Scores processed(const GenerationConfig& config, const Ids& ids, std::int64_t prompt_length, std::int64_t max_length, Scores scores) {
  process_logits(config, {ids, prompt_length, max_length}, scores);
  return scores;
}

/// Log-probabilities as scores.
Scores logs(std::initializer_list<double> probabilities) {
  Scores scores;
  for (const double p : probabilities) scores.push_back(float(std::log(p)));
  return scores;
}

}  // namespace

TEST_CASE("the repetition penalty divides positive and multiplies negative logits, once for each id that occurs") {
  Scores scores{2, -2, 3, 0, 5};
  penalize_repetition(scores, Ids{0, 1, 0, 3, 1, 77, -1}, 2);
  CHECK(scores == Scores{1, -4, 3, 0, 5});
}

TEST_CASE("no n-gram comes twice") {
  Scores scores(6, 1);
  forbid_repeated_ngrams(scores, Ids{1, 2, 3, 1, 2, 4, 1, 2}, 3);  // 1 2 was followed by 3 and by 4
  CHECK(possible(scores) == std::vector<int>{0, 1, 2, 5});
  scores.assign(6, 1);
  forbid_repeated_ngrams(scores, Ids{1, 2, 3, 1}, 2);
  CHECK(possible(scores) == std::vector<int>{0, 1, 3, 4, 5});
  scores.assign(6, 1);
  forbid_repeated_ngrams(scores, Ids{1, 5}, 1);  // no token comes twice
  CHECK(possible(scores) == std::vector<int>{0, 2, 3, 4});
  scores.assign(6, 1);
  forbid_repeated_ngrams(scores, Ids{1, 1}, 3);  // two tokens hold no trigram
  CHECK(possible(scores).size() == 6);
  forbid_repeated_ngrams(scores, Ids{}, 1);
  CHECK(possible(scores).size() == 6);
}

TEST_CASE("a bad word is forbidden at its last token, and an end of sequence is not a word") {
  Scores scores(6, 1);
  const std::vector<Ids> words{{4}, {1, 2}, {3, 1, 5}, {0}, {2, 0}};
  forbid_words(scores, Ids{3, 1}, words, Ids{0});
  CHECK(possible(scores) == std::vector<int>{0, 1, 3});
  scores.assign(6, 1);
  forbid_words(scores, Ids{2}, words, Ids{0});  // the word 2 0 ends in it, and stays forbidden
  CHECK(possible(scores) == std::vector<int>{1, 2, 3, 5});
}

TEST_CASE("no end of sequence before min_length, prompt included, or min_new_tokens, which wins") {
  GenerationConfig c;
  c.eos_token_id = {0, 2};
  c.min_length = 4;
  CHECK(possible(processed(c, {1, 1, 1}, 2, 10, Scores(4, 1))) == std::vector<int>{1, 3});
  CHECK(possible(processed(c, {1, 1, 1, 1}, 2, 10, Scores(4, 1))).size() == 4);
  c.min_new_tokens = 1;
  CHECK(possible(processed(c, {1, 1}, 2, 10, Scores(4, 1))) == std::vector<int>{1, 3});
  CHECK(possible(processed(c, {1, 1, 1}, 2, 10, Scores(4, 1))).size() == 4);
}

TEST_CASE("a forced first token comes after a prompt of one token, a forced last one before max_length") {
  GenerationConfig c;
  c.forced_bos_token_id = 3;
  c.forced_eos_token_id = {1, 2};
  CHECK(processed(c, {9}, 1, 5, Scores(4, 1)) == Scores{minus_infinity, minus_infinity, minus_infinity, 0});
  CHECK(possible(processed(c, {9, 3}, 1, 5, Scores(4, 1))).size() == 4);
  CHECK(processed(c, {9, 3, 0, 0}, 1, 5, Scores(4, 1)) == Scores{minus_infinity, 0, 0, minus_infinity});
  CHECK(possible(processed(c, {9, 3}, 2, 5, Scores(4, 1))).size() == 4);  // a longer prompt has its own first token
}

TEST_CASE("suppressed tokens never come, those of the beginning only there, after a forced first token") {
  GenerationConfig c;
  c.suppress_tokens = {0, -1, 99};
  c.begin_suppress_tokens = {1};
  CHECK(possible(processed(c, {3, 3}, 2, 9, Scores(4, 1))) == std::vector<int>{2, 3});
  CHECK(possible(processed(c, {3, 3, 2}, 2, 9, Scores(4, 1))) == std::vector<int>{1, 2, 3});
  c.forced_bos_token_id = 3;
  CHECK(possible(processed(c, {3}, 1, 9, Scores(4, 1))) == std::vector<int>{3});
  CHECK(possible(processed(c, {3, 3}, 1, 9, Scores(4, 1))) == std::vector<int>{2, 3});
}

TEST_CASE("a temperature divides, and one next to nothing leaves finite numbers") {
  Scores scores{1, -2, 0};
  apply_temperature(scores, 0.5);
  CHECK(scores == Scores{2, -4, 0});
  for (const double tiny : {1e-9, 1e-30, 1e-300}) {
    scores = {100, -100, 99};
    apply_temperature(scores, tiny);
    for (const float score : scores) CHECK(std::isfinite(score));
    CHECK(scores[0] > scores[2]);
  }
}

TEST_CASE("top-k keeps what equals the k-th, at least as many as beams need, and all of a smaller vocabulary") {
  Scores scores{1, 5, 3, 3, 3, 0};
  keep_top_k(scores, 3);
  CHECK(possible(scores) == std::vector<int>{1, 2, 3, 4});
  scores = {1, 5, 3, 2, 4, 0};
  keep_top_k(scores, 1, 2);
  CHECK(possible(scores) == std::vector<int>{1, 4});
  scores = {1, 5, 3};
  keep_top_k(scores, 3);
  keep_top_k(scores, (std::int64_t{1} << 32) + 1);
  CHECK(possible(scores).size() == 3);
}

TEST_CASE("top-p drops the least likely while all dropped have at most 1 - p") {
  // 0.1 and 0.2 may go for p = 0.65, not 0.3 as well
  Scores scores = logs({0.1, 0.4, 0.2, 0.3});
  keep_top_p(scores, 0.65);
  CHECK(possible(scores) == std::vector<int>{1, 3});
  scores = logs({0.1, 0.4, 0.2, 0.3});
  keep_top_p(scores, 0);
  CHECK(possible(scores) == std::vector<int>{1});
  scores = logs({0.1, 0.4, 0.2, 0.3});
  keep_top_p(scores, 0, 3);
  CHECK(possible(scores) == std::vector<int>{1, 2, 3});
  scores = {2, 2, 2, 2};  // of equals the lowest ids stay
  keep_top_p(scores, 0.45);
  CHECK(possible(scores) == std::vector<int>{0, 1});
}

TEST_CASE("min-p drops what has less than its part of the best one's probability") {
  Scores scores = logs({0.1, 0.4, 0.21, 0.29});
  keep_min_p(scores, 0.5);
  CHECK(possible(scores) == std::vector<int>{1, 2, 3});
  keep_min_p(scores, 0.6);  // of 0.4, 0.21 and 0.29, which sum to 0.9: the ratio to the best stays
  CHECK(possible(scores) == std::vector<int>{1, 3});
  keep_min_p(scores, 1, 2);
  CHECK(possible(scores) == std::vector<int>{1, 3});
  keep_min_p(scores, 1);
  CHECK(possible(scores) == std::vector<int>{1});
}

TEST_CASE("typical-p keeps in the order of the distance between surprise and entropy") {
  // H = 1.0889 for {0.6, 0.2, 0.1, 0.1}; surprises 0.511, 1.609, 2.303, 2.303; distances 0.578, 0.520, 1.214, 1.214
  Scores scores = logs({0.6, 0.2, 0.1, 0.1});
  keep_typical(scores, 0.15);
  CHECK(possible(scores) == std::vector<int>{1});
  scores = logs({0.6, 0.2, 0.1, 0.1});
  keep_typical(scores, 0.25);
  CHECK(possible(scores) == std::vector<int>{0, 1});
  scores = logs({0.6, 0.2, 0.1, 0.1});
  keep_typical(scores, 0.85);  // the two last are at one distance: they stay together
  CHECK(possible(scores).size() == 4);
  scores = {minus_infinity, 0, minus_infinity};
  keep_typical(scores, 0.5);
  CHECK(possible(scores) == std::vector<int>{1});
}

TEST_CASE("what only sampling uses does nothing without it, and with beams one more token than ends of sequence stays") {
  GenerationConfig c;
  c.temperature = 0.5;
  c.top_k = 1;
  c.eos_token_id = {0, 1};
  CHECK(processed(c, {1}, 1, 9, {4, 3, 2, 1}) == Scores{4, 3, 2, 1});
  c.do_sample = true;
  CHECK(processed(c, {1}, 1, 9, {4, 3, 2, 1}) == Scores{8, minus_infinity, minus_infinity, minus_infinity});
  c.num_beams = 2;
  CHECK(processed(c, {1}, 1, 9, {4, 3, 2, 1}) == Scores{8, 6, 4, minus_infinity});
  c.temperature = 0;  // greedy by definition
  CHECK(processed(c, {1}, 1, 9, {4, 3, 2, 1}) == Scores{4, 3, 2, 1});
}

TEST_CASE("renormalization comes last and makes log-probabilities") {
  GenerationConfig c;
  c.renormalize_logits = true;
  c.suppress_tokens = {0};
  const Scores scores = processed(c, {1}, 1, 9, {50, 1, 1});
  CHECK(scores[0] == minus_infinity);
  CHECK(scores[1] == doctest::Approx(std::log(0.5)));
  CHECK(scores[2] == doctest::Approx(std::log(0.5)));
}

TEST_CASE("the repetition penalty sees logits before anything is forbidden, and top-k after it") {
  GenerationConfig c;
  c.repetition_penalty = 4;
  c.do_sample = true;
  c.top_k = 1;
  CHECK(possible(processed(c, {0}, 1, 9, {4, 3, 2})) == std::vector<int>{1});  // 4 / 4 is less than 3
}
