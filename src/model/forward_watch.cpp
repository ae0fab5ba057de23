#include <algorithm>

#include "model/forward_call.h"

namespace webformer {

namespace {

void collect(const ForwardCall& call, const Stack& stack, std::string_view kind, const Packed& queries, const Packed& keys,
             std::vector<Array>& out) {
  for (int i = 0; i < stack.config.layers; ++i) {
    const auto& seen = call.recorder.seen(stack.name + "." + std::to_string(i) + "." + std::string(kind) + ".weights");
    out.push_back(unpack_weights(seen, queries, keys, stack.config.heads));
  }
}

void collect_hidden(const ForwardCall& call, const Stack& stack, const Packed& packed, std::vector<Array>& out) {
  for (int i = 0; i <= stack.config.layers; ++i) {
    out.push_back(packed.unpack(call.recorder.seen(stack.name + ".hidden." + std::to_string(i)).front().matrix()));
  }
}

}  // namespace

void collect_watched(ForwardCall& call) {
  ModelOutput& out = call.output;
  const Model& m = call.model;
  const bool both = m.config.kind == Kind::encoder_decoder;
  if (call.options.attentions) {
    if (m.encoder) collect(call, *m.encoder, "self_attention", call.source, call.source, both ? out.encoder_attentions : out.attentions);
    if (m.decoder) collect(call, *m.decoder, "self_attention", call.target, call.target, both ? out.decoder_attentions : out.attentions);
    if (both) collect(call, *m.decoder, "cross_attention", call.target, call.source, out.cross_attentions);
  }
  if (call.options.hidden_states) {
    if (m.encoder) collect_hidden(call, *m.encoder, call.source, both ? out.encoder_hidden_states : out.hidden_states);
    if (m.decoder) collect_hidden(call, *m.decoder, call.target, both ? out.decoder_hidden_states : out.hidden_states);
  }
  for (const auto& [name, arrays] : call.recorder.all()) {
    if (std::ranges::none_of(call.options.trace, [&](const std::string& pattern) { return matches(pattern, name); })) continue;
    const bool in_encoder = name.starts_with("encoder.");
    const Packed& queries = in_encoder ? call.source : call.target;
    const bool crosses = name.find(".cross_attention.") != std::string::npos;
    const Packed& keys = crosses ? call.source : queries;
    if (name.ends_with(".weights") || name.ends_with(".scores")) {
      out.trace[name] = unpack_weights(arrays, queries, keys, (in_encoder ? *m.encoder : *m.decoder).config.heads);
    } else {
      const bool of_memory = crosses && (name.ends_with(".key") || name.ends_with(".value"));
      out.trace[name] = (of_memory ? keys : queries).unpack(arrays.front().matrix());
    }
  }
}

}  // namespace webformer
