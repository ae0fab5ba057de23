#include "wasm/generation_job.h"

#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

std::string_view name(FinishReason reason) {
  return reason == FinishReason::eos ? "eos" : reason == FinishReason::stop ? "stop" : "length";
}

/// A plain array of numbers, as JSON has it.
val id_list(std::span<const std::int32_t> ids) { return val::global("Array").call<val>("from", to_js(ids)); }

val item_to_js(const GenerationItem& item) {
  val js = val::object();
  js.set("index", double(item.index));
  js.set("text", to_js(item.text));
  js.set("ids", id_list(item.ids));
  if (item.draft) js.set("draft", to_js(*item.draft));
  if (item.last) js.set("last", true);
  if (item.candidates.empty()) return js;
  val candidates = val::array();
  for (const TokenCandidate& one : item.candidates) {
    val candidate = val::object();
    candidate.set("id", one.id);
    candidate.set("token", to_js(one.token));
    candidate.set("probability", one.probability);
    candidates.call<void>("push", candidate);
  }
  js.set("candidates", candidates);
  return js;
}

val usage_to_js(const GenerationUsage& usage, double gpu_dispatches) {
  val js = val::object();
  js.set("promptTokens", double(usage.prompt_tokens));
  js.set("newTokens", double(usage.new_tokens));
  js.set("prefillMs", usage.prefill_ms);
  js.set("decodeMs", usage.decode_ms);
  js.set("gpuDispatches", gpu_dispatches);
  return js;
}

template <class Items, class Convert>
val list_to_js(const Items& items, Convert convert) {
  val list = val::array();
  for (const auto& item : items) list.call<void>("push", convert(item));
  return list;
}

val beam_to_js(const BeamStep& beam) {
  val js = val::object();
  js.set("step", double(beam.step));
  js.set("parent", double(beam.parent));
  js.set("id", beam.id);
  js.set("score", beam.score);
  return js;
}

val result_to_js(const GenerationResult& result, double gpu_dispatches) {
  val js = val::object();
  js.set("texts", to_js(result.texts));
  js.set("sequences", list_to_js(result.sequences, [](const auto& ids) { return id_list(ids); }));
  js.set("finishReason", list_to_js(result.finish_reasons, [](FinishReason reason) { return to_js(name(reason)); }));
  if (!result.scores.empty()) js.set("scores", list_to_js(result.scores, [](double score) { return val(score); }));
  if (!result.cross_attentions.empty()) {
    js.set("crossAttentions", list_to_js(result.cross_attentions, [](const auto& layers) { return to_js(layers); }));
  }
  if (!result.beams.empty()) js.set("beams", list_to_js(result.beams, beam_to_js));
  js.set("usage", usage_to_js(result.usage, gpu_dispatches));
  return js;
}

class GenerationJob : public JobHandle {
 public:
  GenerationJob(Session& session, std::shared_ptr<const Tokenizer> tokenizer, GenerationRequest request)
      : session_(session),
        tokenizer_(std::move(tokenizer)),
        job_(schedule_, generate(session, tokenizer_.get(), std::move(request), sink_, schedule_)) {
    session_.use(device());
  }
  ~GenerationJob() override { session_.use(nullptr); }

 private:
  bool work(Schedule::Clock::duration budget) override { return job_.step(budget); }
  void add_news(val& state) override {
    if (sink_.items.empty()) return;
    state.set("items", list_to_js(sink_.items, item_to_js));
    sink_.items.clear();
  }
  val take() override { return result_to_js(job_.take(), gpu_dispatches()); }

  Session& session_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  GenerationSink sink_;
  Schedule schedule_;
  Job<GenerationResult> job_;
};

}  // namespace

std::shared_ptr<JobHandle> start_generation(Session& session, std::shared_ptr<const Tokenizer> tokenizer, GenerationRequest request) {
  return std::make_shared<GenerationJob>(session, std::move(tokenizer), std::move(request));
}

}  // namespace webformer
