#include "training/word_vectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/safetensors.h"

namespace webformer {

namespace {

/// Words of a step, words between two chances to stop, and where a text is cut, as in the authors' program.
constexpr std::int64_t words_of_step = 10'000, words_at_once = 64, longest_text = 1000;
/// Entries of the table that negatives are drawn from; the authors' program has 10^8.
constexpr std::size_t noise_entries = 1'000'000;
constexpr double least_rate = 1e-4;  // as a share of the first one

void require(bool right, std::string_view name, double found, std::string_view expected) {
  if (!right) throw Error(Code::invalid_argument, "{}: {} found, {} expected", name, found, expected).with("option", name);
}

void check(const WordVectorConfig& c) {
  constexpr std::int64_t most = 1 << 20;
  const auto count = [&](std::string_view name, std::int64_t value, std::int64_t least) {
    require(value >= least && value <= most, name, double(value), least ? "1 to 1048576" : "0 to 1048576");
  };
  count("dimensions", c.dimensions, 1);
  count("window", c.window, 1);
  count("negatives", c.negatives, 0);
  require(c.epochs >= 1, "epochs", double(c.epochs), "at least 1");
  require(c.subsample >= 0 && std::isfinite(c.subsample), "subsample", c.subsample, "a number of at least 0");
  require(c.learning_rate >= 0 && std::isfinite(c.learning_rate), "learningRate", c.learning_rate, "a number of at least 0");
}

double sum_of_squares_of(std::span<const float> x) {
  return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

}  // namespace

WordVectorTrainer::WordVectorTrainer(const WordVectorConfig& config)
    : config_(config), pattern_(Pattern::compile("\\w+", "words")), random_(config.seed) {
  check(config_);
}

void WordVectorTrainer::feed(std::string_view text) {
  const auto repaired = repair_utf8(text);
  if (repaired) text = *repaired;
  std::vector<PatternMatch> matches;
  pattern_.find_all(text, matches);
  for (const auto& [begin, end] : matches) {
    const auto [known, is_new] = numbers_.try_emplace(std::string(text.substr(begin, end - begin)), std::int32_t(words_.size()));
    if (is_new) {
      words_.push_back(known->first);
      counts_.push_back(0);
    }
    ++counts_[std::size_t(known->second)];
    ids_.push_back(known->second);
    if (std::int64_t(ids_.size() - (ends_.empty() ? 0 : ends_.back())) == longest_text) ends_.push_back(ids_.size());
  }
  ends_.push_back(ids_.size());
}

void WordVectorTrainer::begin() {
  // The most frequent word first; of equal ones, the one that came first.
  std::vector<std::int32_t> order(words_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::int32_t word) { return counts_[std::size_t(word)]; });
  std::vector<std::int32_t> places(words_.size(), -1);
  std::vector<std::string> words;
  std::vector<std::int64_t> counts;
  for (const std::int32_t word : order) {
    if (counts_[std::size_t(word)] < config_.min_count) break;
    places[std::size_t(word)] = std::int32_t(words.size());
    words.push_back(std::move(words_[std::size_t(word)]));
    counts.push_back(counts_[std::size_t(word)]);
  }
  if (words.size() < 2)
    throw Error(Code::invalid_argument, "texts: {} words are there at least {} times, 2 expected", words.size(), config_.min_count);
  words_ = std::move(words);
  counts_ = std::move(counts);
  numbers_.clear();
  std::size_t from = 0, to = 0;
  for (std::size_t& end : ends_) {
    for (; from < end; ++from)
      if (places[std::size_t(ids_[from])] >= 0) ids_[to++] = places[std::size_t(ids_[from])];
    end = to;
  }
  ids_.resize(to);

  for (const std::int64_t count : counts_) keep_.push_back(keep_probability(double(count) / double(to), config_.subsample));
  if (config_.negatives > 0) {
    const std::vector<double> shares = noise_distribution(counts_);
    double sum = 0;
    std::size_t entry = 0;
    for (std::size_t word = 0; word < shares.size(); ++word) {
      sum += shares[word];
      noise_.push_back(std::uint32_t(word));
      for (++entry; double(entry) < sum * double(noise_entries); ++entry) noise_.push_back(std::uint32_t(word));
    }
  }
  const auto count = std::int64_t(words_.size());
  tables_ = {Array(Shape{count, config_.dimensions}), Array(Shape{count, config_.dimensions})};
  for (float& x : tables_.input.data) x = float((random_.uniform() - 0.5) / double(config_.dimensions));
  h_.resize(std::size_t(config_.dimensions));
  dh_.resize(std::size_t(config_.dimensions));
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    if (std::int64_t(end - begin) < words_of_step && end < ids_.size()) continue;
    if (end > begin) ++steps_of_epoch_;
    begin = end;
  }
}

void WordVectorTrainer::subsample(std::size_t text) {
  sentence_.clear();
  for (std::size_t i = text ? ends_[text - 1] : 0; i < ends_[text]; ++i) {
    const double keep = keep_[std::size_t(ids_[i])];
    if (keep >= 1 || random_.uniform() < keep) sentence_.push_back(ids_[i]);
  }
}

void WordVectorTrainer::draw_negatives(std::int32_t target) {
  negatives_.clear();
  while (std::int64_t(negatives_.size()) < config_.negatives) {
    auto word = std::int32_t(noise_[random_.below(std::uint32_t(noise_.size()))]);
    if (word == target) word = std::int32_t((std::size_t(word) + 1) % words_.size());  // a word that is nearly all of the text
    negatives_.push_back(word);
  }
}

void WordVectorTrainer::learn_example(std::span<const std::int32_t> words, std::int32_t target, float rate, Totals& totals) {
  draw_negatives(target);
  totals.loss += add_word_gradient(tables_, {words, target, negatives_}, -rate, tables_, h_, dh_);
  totals.squares += sum_of_squares_of(dh_) / double(words.size());
  ++totals.examples;
}

void WordVectorTrainer::learn(std::span<const std::int32_t> sentence, std::size_t place, float rate, Totals& totals) {
  const auto window = std::size_t(1 + random_.below(std::uint32_t(config_.window)));
  context_.clear();
  for (std::size_t i = place - std::min(place, window); i < std::min(sentence.size(), place + window + 1); ++i)
    if (i != place) context_.push_back(sentence[i]);
  if (context_.empty()) return;
  if (config_.cbow) {
    learn_example(context_, sentence[place], rate, totals);
    return;
  }
  for (const std::int32_t word : context_) learn_example(sentence.subspan(place, 1), word, rate, totals);
}

Task<WordVectorStep> WordVectorTrainer::step(Schedule& schedule) {
  WordVectorStep result{.step = ++step_, .epoch = epoch_};
  Totals totals;
  const double all = double(config_.epochs) * double(ids_.size());
  while (result.words < words_of_step && text_ < ends_.size()) {
    subsample(text_);
    for (std::size_t place = 0; place < sentence_.size(); ++place) {
      result.learning_rate = config_.learning_rate * std::max(least_rate, 1 - double(behind_) / all);
      learn(sentence_, place, float(result.learning_rate), totals);
      if (place % words_at_once == 0) co_await schedule.breathe();
    }
    const auto words = std::int64_t(ends_[text_] - (text_ ? ends_[text_ - 1] : 0));
    result.words += words;
    behind_ += words;
    ++text_;
  }
  // Empty texts at the end make no step of their own.
  while (text_ < ends_.size() && ends_[text_] == ids_.size() && ends_[text_] == (text_ ? ends_[text_ - 1] : 0)) ++text_;
  if (text_ == ends_.size()) {
    text_ = 0;
    ++epoch_;
  }
  const double examples = double(std::max<std::int64_t>(totals.examples, 1));
  result.loss = totals.loss / examples;
  result.gradient_norm = std::sqrt(totals.squares / examples);
  if (!std::isfinite(result.loss)) throw Error(Code::numeric_error, "loss {}: a finite number expected", result.loss);
  co_return result;
}

WordVectors WordVectorTrainer::vectors() const { return {words_, tables_.input}; }

std::vector<std::byte> WordVectorTrainer::checkpoint() const {
  std::vector<SafetensorsTensor> tensors;
  for (const auto& [name, table] : {std::pair{"input.weight", &tables_.input}, {"output.weight", &tables_.output}})
    tensors.push_back({{name, DType::f32, table->shape}, std::as_bytes(std::span(table->data))});
  return write_safetensors(tensors, {{"steps", std::to_string(step_)}});
}

}  // namespace webformer
