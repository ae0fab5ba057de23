#include "model/attention_device.h"

#include <doctest/doctest.h>

#include <cmath>

#include "kernels/reference.h"
#include "model/forward.h"
#include "model/session.h"
#include "support/tiny_models.h"

using namespace webformer;

namespace {

/// What the one who drives a job does with the attentions that wait.
enum class Driver { does_all, does_every_other, does_none };

struct Drive {
  AttentionDevice device;
  std::int64_t offered = 0;

  explicit Drive(double threshold) { device.threshold = threshold; }

  template <class T>
  T finish(Job<T> job, Driver driver) {
    for (bool done = false; !done;) {
      device.end_offers();
      done = job.step();
      for (const AttentionDevice::Offer& offer : device.offers()) {
        if (driver == Driver::does_none || (driver == Driver::does_every_other && offered++ % 2 == 0)) continue;
        reference::attention(*offer.args);
        device.accept(offer.call);
      }
    }
    return job.take();
  }
};

ForwardInputs inputs_for(const Model& model) {
  ForwardInputs inputs;
  inputs.input_ids = {3, 20, test::random_ids(60, 3, 49, 5)};
  inputs.attention_mask = {3, 20, std::vector<std::int32_t>(60, 1)};
  for (int t = 12; t < 20; ++t) inputs.attention_mask.data[std::size_t(t)] = 0;
  if (model.encoder) inputs.decoder_input_ids = {3, 7, test::random_ids(21, 3, 49, 7)};
  return inputs;
}

double worst(const Array& a, const Array& b) {
  REQUIRE(a.shape == b.shape);
  double difference = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) difference = std::max(difference, double(std::abs(a.data[i] - b.data[i])));
  return difference;
}

// The naive kernel sums in double, the other one in float; logits of these models are around 1 to 20.
constexpr double tolerance = 2e-4;

}  // namespace

TEST_CASE("a pass gives the same logits and weights whoever does its attentions") {
  for (const auto& tiny : test::generating_models()) {
    CAPTURE(tiny.name);
    const auto model = test::make_model(tiny.config);
    Workspace workspace;
    Schedule schedule;
    ForwardOptions options{.attentions = true};
    const auto job = [&] { return Job<ModelOutput>(schedule, forward(*model, inputs_for(*model), options, workspace, schedule)); };
    const ModelOutput expected = job().finish();
    for (const Driver driver : {Driver::does_all, Driver::does_every_other, Driver::does_none}) {
      Drive drive(0);
      options.device = &drive.device;
      const ModelOutput output = drive.finish(job(), driver);
      CHECK(worst(*output.logits, *expected.logits) < tolerance);
      const auto& got = model->encoder ? output.cross_attentions : output.attentions;
      const auto& want = model->encoder ? expected.cross_attentions : expected.attentions;
      REQUIRE(got.size() == want.size());
      for (std::size_t i = 0; i < got.size(); ++i) CHECK(worst(got[i], want[i]) < 1e-5);
      CHECK((drive.device.dispatches() > 0) == (driver != Driver::does_none));
    }
    options.device = nullptr;
  }
}

TEST_CASE("the steps of a session give the same logits whoever does their attentions") {
  for (const auto& tiny : test::generating_models()) {
    CAPTURE(tiny.name);
    const auto model = test::make_model(tiny.config);
    const auto source = test::random_ids(9, 3, 49, 5), ids = test::random_ids(40, 3, 49, 7);
    const auto logits = [&](AttentionDevice* device, Drive& drive) {
      Schedule schedule;
      Session session(model);
      session.use(device);
      if (model->encoder) {
        Job<> encoding(schedule, session.encode({source}, schedule));
        drive.finish(std::move(encoding), Driver::does_all);
      }
      const int sequence = session.add_sequence();
      Array rows({2, 0});
      rows.data.clear();
      for (const auto& part : {std::span(ids).first(39), std::span(ids).last(1)}) {
        const Matrix made = drive.finish(Job<Matrix>(schedule, session.step({{sequence, part}}, schedule)), Driver::does_all);
        rows.data.insert(rows.data.end(), made.data, made.data + made.cols);
        rows.shape = {2, made.cols};
      }
      return rows;
    };
    Drive none(0), all(0);
    CHECK(worst(logits(&all.device, all), logits(nullptr, none)) < tolerance);
    CHECK(all.device.dispatches() > 0);
    CHECK(none.device.dispatches() == 0);
  }
}

TEST_CASE("only attentions of the threshold and above are offered") {
  const auto offered = [](std::int64_t queries, std::int64_t keys, double threshold) {
    AttentionDevice device;
    device.threshold = threshold;
    AttentionArgs args;
    args.query.rows = queries;
    args.memory.length = keys;
    return device.offer({&args, 1});
  };
  CHECK(offered(100, 100, 100));
  CHECK_FALSE(offered(99, 99, 100));
  CHECK(offered(60, 300, 100));  // 2 * 60 * 300 / 360 = 100
  CHECK_FALSE(offered(59, 300, 100));
  CHECK_FALSE(offered(1, 100000, 100));  // a step of decoding sends as much as it computes
  CHECK(offered(1, 1, 0));
  CHECK_FALSE(offered(0, 100, 0));
  CHECK_FALSE(offered(100, 0, 0));
  CHECK_FALSE(offered(1 << 20, 1 << 20, AttentionDevice().threshold));
}

TEST_CASE("what is accepted is counted, and an accepted call stays so until the next offer") {
  AttentionDevice device;
  device.threshold = 10;
  std::vector<AttentionArgs> calls(3);
  for (AttentionArgs& args : calls) args.query.rows = args.memory.length = 20;
  calls[1].query.rows = 1;
  REQUIRE(device.offer(calls));
  REQUIRE(device.offers().size() == 2);
  CHECK(device.offers()[1].call == 2);
  device.accept(2);
  device.end_offers();
  CHECK(device.offers().empty());
  CHECK_FALSE(device.did(0));
  CHECK_FALSE(device.did(1));
  CHECK(device.did(2));
  CHECK(device.dispatches() == 1);
  CHECK(device.offer(calls));
  CHECK_FALSE(device.did(2));
}
