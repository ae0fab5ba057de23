#include "wasm/job.h"

#include <chrono>

#include "wasm/attention_offers.h"
#include "wasm/guard.h"

using emscripten::val;

namespace webformer {

val JobHandle::step(double milliseconds) {
  return guarded([&] {
    device_.end_offers();
    val state = val::object();
    const auto budget = std::chrono::duration_cast<Schedule::Clock::duration>(std::chrono::duration<double, std::milli>(milliseconds));
    state.set("done", work(budget));
    add_news(state);
    if (device_.offers().empty()) return state;
    val attentions = val::array();
    for (const AttentionDevice::Offer& offer : device_.offers()) attentions.call<void>("push", to_js(*offer.args));
    state.set("attentions", attentions);
    return state;
  });
}

val JobHandle::result() {
  return guarded([&] { return take(); });
}

val JobHandle::accept(std::size_t index) {
  return guarded([&] {
    const auto offers = device_.offers();
    if (index >= offers.size()) throw Error(Code::internal_error, "attention {}: {} are waited for", index, offers.size());
    device_.accept(offers[index].call);
    return val::undefined();
  });
}

}  // namespace webformer
