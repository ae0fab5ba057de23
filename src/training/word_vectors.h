#pragma once
// Word2Vec: vectors of words from the words around them (Mikolov et al. 2013a, "Efficient Estimation of Word Representations in Vector
// Space"; 2013b, "Distributed Representations of Words and Phrases and their Compositionality").

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "core/task.h"
#include "core/tensor.h"
#include "formats/word_vectors.h"
#include "text/pattern.h"

namespace webformer {

// ---- the objective

/// Two vectors a word. input, output: [V, C].
struct WordTables {
  Array input, output;
};

/// Words whose mean input vector h is to tell `target`, and not the negatives, by their output vectors u: the loss is
/// -log s(h.u_target) - sum_k log s(-h.u_k) (2013b, eq. 4), s being the sigmoid. Without negatives, it is the cross-entropy of a softmax
/// over all words (2013a). Skip-gram has one word, CBOW all those of the context.
struct WordExample {
  std::span<const std::int32_t> words;
  std::int32_t target;
  std::span<const std::int32_t> negatives;
};

/// Adds factor times the gradient of an example's loss to `sums`, which may be the tables themselves: with minus the learning rate that is
/// a step of gradient descent. h and dh: [C], scratch. Returns the loss.
double add_word_gradient(const WordTables& tables, const WordExample& example, float factor, WordTables& sums, std::span<float> h,
                         std::span<float> dh);

struct WordPair {
  std::int32_t center, context;
  bool operator==(const WordPair&) const = default;
};
/// Skip-gram's pairs: each word with those at most `window` away, from left to right.
std::vector<WordPair> word_pairs(std::span<const std::int32_t> words, std::int64_t window);

/// How likely each word is drawn as a negative: count^0.75 / sum (2013b).
std::vector<double> noise_distribution(std::span<const std::int64_t> counts);
/// How likely a word with the share f of all words is kept: min(1, sqrt(t / f) + t / f), as in the authors' program. 0: all are kept.
double keep_probability(double share, double threshold) noexcept;

// ---- the training

struct WordVectorConfig {
  bool cbow = false;  ///< else skip-gram
  std::int64_t dimensions = 100;
  std::int64_t window = 5;     ///< the widest; each word's is drawn from 1 to this
  std::int64_t negatives = 5;  ///< 0: softmax over all words
  std::int64_t epochs = 5;
  std::int64_t min_count = 1;  ///< rarer words are left out
  double subsample = 0;        ///< the threshold of frequent words, 0.001 for large texts; 0: all are kept
  double learning_rate = 0.025;
  std::uint64_t seed = 0;
};

struct WordVectorStep {
  std::int64_t step = 0, epoch = 0;
  double loss = 0;           ///< mean over the examples
  double learning_rate = 0;  ///< of the last one: it falls to a ten-thousandth, by the words that are behind
  double gradient_norm = 0;  ///< root of the mean square over the examples
  std::int64_t words = 0;
};

class WordVectorTrainer {
 public:
  /// Throws invalid_argument for numbers that are none.
  explicit WordVectorTrainer(const WordVectorConfig& config);

  /// One text; windows do not go over its ends. Words are runs of letters, digits and underscores.
  void feed(std::string_view text);
  /// No more texts come. Throws invalid_argument where less than two different words are frequent enough, out_of_memory.
  void begin();
  bool done() const noexcept { return epoch_ == config_.epochs; }
  /// How many steps there are in all.
  std::int64_t total() const noexcept { return config_.epochs * steps_of_epoch_; }
  /// The next portion of words. A portion that is abandoned is half learned.
  Task<WordVectorStep> step(Schedule& schedule);

  /// The input vectors, the most frequent word first.
  WordVectors vectors() const;
  /// Both tables as a safetensors file, with the number of steps.
  std::vector<std::byte> checkpoint() const;

 private:
  struct Totals {
    double loss = 0, squares = 0;
    std::int64_t examples = 0;
  };

  void learn(std::span<const std::int32_t> sentence, std::size_t place, float rate, Totals& totals);
  void learn_example(std::span<const std::int32_t> words, std::int32_t target, float rate, Totals& totals);
  void draw_negatives(std::int32_t target);
  /// The words of a text that are kept this time.
  void subsample(std::size_t text);

  WordVectorConfig config_;
  Pattern pattern_;
  Random random_;
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int32_t> ids_;       // of all texts, one after the other
  std::vector<std::size_t> ends_;       // of each text
  std::vector<double> keep_;            // by word
  std::vector<std::uint32_t> noise_;    // words, as often as they are likely
  WordTables tables_;
  std::vector<float> h_, dh_;
  std::vector<std::int32_t> negatives_, sentence_, context_;
  std::int64_t steps_of_epoch_ = 0, epoch_ = 0, step_ = 0;
  std::size_t text_ = 0;                // the next one of the epoch
  std::int64_t behind_ = 0;             // words of all epochs that are behind
};

}  // namespace webformer
