#include "wasm/forward_job.h"

#include "wasm/memory_limit.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

IdMatrix matrix_from_js(const val& matrix) {
  if (matrix.isUndefined()) return {};
  return {std::int64_t(matrix["rows"].as<double>()), std::int64_t(matrix["cols"].as<double>()), ids_from_js(matrix["data"])};
}

std::vector<std::int32_t> list_from_js(const val& list) { return list.isUndefined() ? std::vector<std::int32_t>{} : ids_from_js(list); }

ForwardOptions options_from_js(const val& js) {
  ForwardOptions options;
  options.attentions = js["attentions"].as<bool>();
  options.hidden_states = js["hidden_states"].as<bool>();
  options.trace = texts_from_js(js["trace"]);
  options.memory_limit = free_memory();
  if (const val logits = js["logits"]; logits.isArray()) {
    options.logits = ForwardOptions::Logits::chosen;
    options.positions = ids_from_js(logits);
  } else {
    const std::string name = logits.as<std::string>();
    options.logits = name == "all"    ? ForwardOptions::Logits::all
                     : name == "last" ? ForwardOptions::Logits::last
                                      : ForwardOptions::Logits::none;
  }
  return options;
}

val output_to_js(const ModelOutput& output, double gpu_dispatches) {
  val js = val::object();
  const auto set_one = [&](const char* name, const std::optional<Array>& array) {
    if (array) js.set(name, to_js(*array));
  };
  const auto set_list = [&](const char* name, const std::vector<Array>& arrays) {
    if (!arrays.empty()) js.set(name, to_js(arrays));
  };
  set_one("logits", output.logits);
  if (output.loss) js.set("loss", *output.loss);
  set_one("lastHiddenState", output.last_hidden_state);
  set_one("pooled", output.pooled);
  set_one("startLogits", output.start_logits);
  set_one("endLogits", output.end_logits);
  set_one("nextSentenceLogits", output.next_sentence_logits);
  set_one("encoderLastHiddenState", output.encoder_last_hidden_state);
  set_list("attentions", output.attentions);
  set_list("encoderAttentions", output.encoder_attentions);
  set_list("decoderAttentions", output.decoder_attentions);
  set_list("crossAttentions", output.cross_attentions);
  set_list("hiddenStates", output.hidden_states);
  set_list("encoderHiddenStates", output.encoder_hidden_states);
  set_list("decoderHiddenStates", output.decoder_hidden_states);
  if (!output.trace.empty()) {
    val trace = val::object();
    for (const auto& [name, array] : output.trace) trace.set(to_js(name), to_js(array));
    js.set("trace", trace);
  }
  js.set("gpuDispatches", gpu_dispatches);
  return js;
}

class ForwardJob : public JobHandle {
 public:
  ForwardJob(const Model& model, Workspace& workspace, ForwardInputs inputs, ForwardOptions options)
      : job_(schedule_, forward(model, std::move(inputs), with_device(std::move(options)), workspace, schedule_)) {}

 private:
  bool work(Schedule::Clock::duration budget) override { return job_.step(budget); }
  val take() override { return output_to_js(job_.take(), gpu_dispatches()); }
  ForwardOptions with_device(ForwardOptions options) {
    options.device = device();
    return options;
  }

  Schedule schedule_;
  Job<ModelOutput> job_;
};

}  // namespace

ForwardInputs inputs_from_js(const val& js) {
  ForwardInputs inputs;
  inputs.input_ids = matrix_from_js(js["input_ids"]);
  inputs.attention_mask = matrix_from_js(js["attention_mask"]);
  inputs.token_type_ids = matrix_from_js(js["token_type_ids"]);
  inputs.position_ids = matrix_from_js(js["position_ids"]);
  inputs.decoder_input_ids = matrix_from_js(js["decoder_input_ids"]);
  inputs.decoder_attention_mask = matrix_from_js(js["decoder_attention_mask"]);
  inputs.labels = matrix_from_js(js["labels"]);
  if (const val labels = js["float_labels"]; !labels.isUndefined()) inputs.float_labels = floats_from_js(labels);
  inputs.next_sentence_label = list_from_js(js["next_sentence_label"]);
  inputs.start_positions = list_from_js(js["start_positions"]);
  inputs.end_positions = list_from_js(js["end_positions"]);
  return inputs;
}

std::shared_ptr<JobHandle> start_forward(const Model& model, Workspace& workspace, const val& inputs, const val& options) {
  return std::make_shared<ForwardJob>(model, workspace, inputs_from_js(inputs), options_from_js(options));
}

}  // namespace webformer
