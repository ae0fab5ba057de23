#include "model/session.h"

#include <doctest/doctest.h>

#include <cmath>

#include "model/forward.h"
#include "support/tiny_models.h"

using namespace webformer;

namespace {

/// The right value of every comparison here: one uncached pass over the whole sequence. [T, V]
Array full_logits(const Model& model, const std::vector<std::int32_t>& source, const std::vector<std::int32_t>& ids) {
  ForwardInputs inputs;
  IdMatrix whole{1, std::int64_t(ids.size()), ids};
  if (model.encoder) {
    inputs.input_ids = {1, std::int64_t(source.size()), source};
    inputs.decoder_input_ids = whole;
  } else {
    inputs.input_ids = whole;
  }
  Workspace workspace;
  Schedule schedule;
  Job<ModelOutput> job(schedule, forward(model, inputs, {}, workspace, schedule));
  return *job.finish().logits;
}

Matrix run(Session& session, std::vector<Feed> feeds) {
  Schedule schedule;
  return Job<Matrix>(schedule, session.step(std::move(feeds), schedule)).finish();
}

void encode(Session& session, std::vector<std::vector<std::int32_t>> sources) {
  if (!session.model().encoder) return;
  Schedule schedule;
  Job<>(schedule, session.encode(std::move(sources), schedule)).finish();
}

double worst(const float* a, const float* b, std::int64_t count) {
  double difference = 0;
  for (std::int64_t i = 0; i < count; ++i) difference = std::max(difference, double(std::abs(a[i] - b[i])));
  return difference;
}

// Sums of the same numbers in another order; logits of these models are around 1 to 20.
constexpr double tolerance = 2e-4;

}  // namespace

TEST_CASE("one token at a time with a cache gives the logits of the full run") {
  for (const auto& tiny : test::generating_models()) {
    CAPTURE(tiny.name);
    const auto model = test::make_model(tiny.config);
    const auto source = test::random_ids(9, 3, 49, 5), ids = test::random_ids(70, 3, 49, 7);
    const Array expected = full_logits(*model, source, ids);
    Session session(model);
    encode(session, {source});
    const int sequence = session.add_sequence();
    double difference = 0;
    for (std::size_t t = 0; t < ids.size(); ++t) {
      const Matrix logits = run(session, {{sequence, std::span(ids).subspan(t, 1)}});
      difference = std::max(difference, worst(logits.row(0), expected.matrix().row(std::int64_t(t)), logits.cols));
    }
    CHECK(difference < tolerance);
    CHECK(session.length(sequence) == 70);
  }
}

TEST_CASE("a prompt longer than a chunk gives the logits of the full run") {
  for (const auto& tiny : test::generating_models()) {
    CAPTURE(tiny.name);
    const auto model = test::make_model(tiny.config);
    const auto source = test::random_ids(9, 3, 49, 5), ids = test::random_ids(300, 3, 49, 7);
    const Array expected = full_logits(*model, source, ids);
    Session session(model);
    encode(session, {source});
    const int sequence = session.add_sequence();
    const Matrix logits = run(session, {{sequence, ids}});
    CHECK(worst(logits.row(0), expected.matrix().row(299), logits.cols) < tolerance);
  }
}

TEST_CASE("sequences of unlike lengths in one step do not disturb each other") {
  for (const auto& tiny : test::generating_models()) {
    CAPTURE(tiny.name);
    const auto model = test::make_model(tiny.config);
    const std::vector<std::vector<std::int32_t>> sources{test::random_ids(4, 3, 49, 1), test::random_ids(11, 3, 49, 2),
                                                         test::random_ids(1, 3, 49, 3)};
    const std::vector<std::vector<std::int32_t>> prompts{test::random_ids(40, 3, 49, 4), test::random_ids(1, 3, 49, 5),
                                                         test::random_ids(17, 3, 49, 6)};
    Session session(model);
    encode(session, sources);
    std::vector<Feed> feeds;
    for (int i = 0; i < 3; ++i) feeds.push_back({session.add_sequence(i), prompts[std::size_t(i)]});
    const Matrix logits = run(session, feeds);
    for (std::size_t i = 0; i < 3; ++i) {
      const Array expected = full_logits(*model, sources[i], prompts[i]);
      CHECK(worst(logits.row(std::int64_t(i)), expected.matrix().row(std::int64_t(prompts[i].size()) - 1), logits.cols) < tolerance);
    }
  }
}

TEST_CASE("a fork goes its own way and leaves the sequence that it came from alone") {
  const auto model = test::make_model(test::generating_models()[0].config);
  const auto ids = test::random_ids(45, 3, 49, 4);  // ends within a page
  const std::vector<std::int32_t> left{11, 12}, right{21, 22};
  Session session(model);
  const int a = session.add_sequence();
  run(session, {{a, ids}});
  const int b = session.fork(a);
  for (int t = 0; t < 2; ++t) {
    const Matrix logits = run(session, {{a, std::span(left).subspan(std::size_t(t), 1)}, {b, std::span(right).subspan(std::size_t(t), 1)}});
    auto with_left = ids, with_right = ids;
    with_left.insert(with_left.end(), left.begin(), left.begin() + t + 1);
    with_right.insert(with_right.end(), right.begin(), right.begin() + t + 1);
    CHECK(worst(logits.row(0), full_logits(*model, {}, with_left).matrix().row(45 + t), logits.cols) < tolerance);
    CHECK(worst(logits.row(1), full_logits(*model, {}, with_right).matrix().row(45 + t), logits.cols) < tolerance);
  }
}

TEST_CASE("a released sequence gives its pages back") {
  const auto model = test::make_model(test::generating_models()[0].config);
  const auto ids = test::random_ids(100, 3, 49, 4);
  Session session(model);
  std::size_t after_first = 0;
  for (int i = 0; i < 50; ++i) {
    const int sequence = session.add_sequence();
    const int beam = session.fork(sequence);
    run(session, {{sequence, ids}, {beam, ids}});
    session.release(beam);
    session.release(sequence);
    if (i == 0) after_first = session.bytes();
  }
  CHECK(session.bytes() == after_first);
}

TEST_CASE("a step that stops half way and is abandoned leaves the sequence as it was") {
  const auto model = test::make_model(test::generating_models()[0].config);
  const auto ids = test::random_ids(60, 3, 49, 4);
  const std::vector<std::int32_t> next{7};
  Session session(model);
  const int sequence = session.add_sequence();
  run(session, {{sequence, ids}});
  {
    Schedule schedule;
    Job<Matrix> job(schedule, session.step({{sequence, ids}}, schedule));
    CHECK_FALSE(job.step(std::chrono::seconds(0)));  // stops after the first layer
  }
  CHECK(session.length(sequence) == 60);
  auto whole = ids;
  whole.push_back(7);
  const Matrix logits = run(session, {{sequence, next}});
  CHECK(worst(logits.row(0), full_logits(*model, {}, whole).matrix().row(60), logits.cols) < tolerance);
}

TEST_CASE("what does not fit the context is refused with both numbers, and nothing is read") {
  const auto model = test::make_model(test::generating_models()[0].config);
  Session session(model, 20);
  const int sequence = session.add_sequence();
  const auto ids = test::random_ids(21, 3, 49, 4);
  try {
    run(session, {{sequence, ids}});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == Code::context_full);
    CHECK(error.message() == "21 tokens: the context has 20");
  }
  CHECK(session.length(sequence) == 0);
}

TEST_CASE("token ids outside the vocabulary are refused") {
  const auto model = test::make_model(test::generating_models()[0].config);
  Session session(model);
  const int sequence = session.add_sequence();
  for (const std::int32_t id : {-1, 50}) {
    const std::vector<std::int32_t> ids{id};
    CHECK_THROWS_AS(run(session, {{sequence, ids}}), Error);
  }
}
