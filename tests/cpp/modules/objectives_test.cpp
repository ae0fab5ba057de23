// Objectives of pretraining: golden/modules 08 and 10.

#ifdef WEBFORMER_SHARED_DIR

#include "modules/model_run.h"
#include "training/denoising.h"
#include "training/masking.h"

using namespace webformer;
using modules::Case;
using modules::ModelRun;

namespace {

void expect(Case& c, const std::string& name, const std::vector<std::int32_t>& ids) {
  c.output(name, std::vector<float>(ids.begin(), ids.end()));
}

std::vector<std::int64_t> places(const Case& c, const std::string& name) {
  const auto ids = c.ids(name);
  return {ids.begin(), ids.end()};
}

std::vector<TokenSpan> spans(const Case& c) {
  const auto numbers = c.ids("spans");
  std::vector<TokenSpan> result;
  for (std::size_t i = 0; i < numbers.size(); i += 2) result.push_back({numbers[i], numbers[i + 1]});
  return result;
}

std::int32_t id(const Case& c, const char* name) { return std::int32_t(c.about()[name].get_integer()); }

void check_pretraining(Case& c) {
  const Json about = c.about();
  const auto number = [&](const char* name) { return about[name].to_json(); };
  const std::string config = c.has_weight("bert.pooler.dense.weight")
                                 ? R"({"model_type": "bert", "architectures": ["BertForPreTraining"], "hidden_size": )" +
                                       number("d_model") + R"(, "num_attention_heads": )" + number("heads") + R"(, "intermediate_size": )" +
                                       number("d_ff") + R"(, "num_hidden_layers": )" + number("layers") + R"(, "vocab_size": )" +
                                       number("vocab") + R"(, "max_position_embeddings": )" + number("max_length") +
                                       R"(, "layer_norm_eps": )" + number("eps") + R"(, "type_vocab_size": 2})"
                                 : R"({"model_type": "transformer", "architectures": ["TransformerForPreTraining"], "d_model": )" +
                                       number("d_model") + R"(, "nhead": )" + number("heads") + R"(, "dim_feedforward": )" +
                                       number("d_ff") + R"(, "num_encoder_layers": )" + number("layers") +
                                       R"(, "num_decoder_layers": 0, "vocab_size": )" + number("vocab") +
                                       R"(, "max_position_embeddings": )" + number("max_length") + R"(, "layer_norm_eps": )" +
                                       number("eps") + R"(, "type_vocab_size": 2, "activation": "gelu", "positions": "learned"})";
  ModelRun run(c, config);
  ForwardInputs inputs{.input_ids = modules::id_matrix(c, "input_ids"),
                       .attention_mask = modules::id_matrix(c, "attention_mask"),
                       .token_type_ids = modules::id_matrix(c, "segment_ids")};
  ForwardInputs words = inputs, sentences = inputs, both = inputs;
  words.labels = both.labels = modules::id_matrix(c, "labels");
  sentences.next_sentence_label = both.next_sentence_label = c.ids("nsp_label");
  const ModelOutput out = run.forward(inputs, {.padding = true});
  c.output("hidden", *out.last_hidden_state);
  c.output("mlm_logits", *out.logits);
  c.output("nsp_logits", *out.next_sentence_logits);
  if (c.expects("pooled")) c.output("pooled", *out.pooled);
  c.output("mlm_loss", *run.forward(words).loss);
  c.output("nsp_loss", *run.forward(sentences).loss);
  c.output("loss", run.backward(both));
  c.gradients(run.plan(), run.gradients);
}

void check_masking(Case& c) {
  const auto chosen = c.ids("chosen"), action = c.ids("action");
  std::vector<MaskAction> actions;
  for (std::size_t i = 0; i < chosen.size(); ++i) actions.push_back(chosen[i] ? MaskAction(action[i] + 1) : MaskAction::none);
  const MaskedTokens masked = mask_tokens(c.ids("ids"), actions, c.ids("random_ids"), id(c, "mask_id"));
  expect(c, "input_ids", masked.ids);
  expect(c, "labels", masked.labels);
}

void check_sentence_pair(Case& c) {
  const SentencePair pair =
      join_sentences(c.ids("a"), c.ids("b"), id(c, "cls"), id(c, "sep"), id(c, "pad"), std::size_t(c.about()["length"].get_integer()));
  expect(c, "ids", pair.ids);
  expect(c, "segments", pair.types);
  expect(c, "attention_mask", pair.mask);
}

void check_spans(Case& c) {
  const auto ids = c.ids("ids");
  std::vector<TokenSpan> corrupted;
  if (c.has_input("mask")) {
    std::vector<bool> noise;
    for (const std::int32_t m : c.ids("mask")) noise.push_back(m != 0);
    corrupted = spans_of(noise);
    std::vector<std::int32_t> numbers;
    for (const TokenSpan& span : corrupted) numbers.insert(numbers.end(), {std::int32_t(span.start), std::int32_t(span.length)});
    expect(c, "spans", numbers);
  } else {
    corrupted = spans(c);
  }
  const CorruptedSpans closed = corrupt_spans(ids, corrupted, id(c, "first_sentinel"), id(c, "eos"), true);
  expect(c, "input_ids", closed.input);
  expect(c, "target_ids", closed.target);
  if (!c.expects("target_ids_open")) return;
  expect(c, "target_ids_open", corrupt_spans(ids, corrupted, id(c, "first_sentinel"), id(c, "eos"), false).target);
  expect(c, "decoder_input_ids", shift_right(closed.target, id(c, "decoder_start")));
}

void check_noise(Case& c) {
  const auto ids = c.ids("ids");
  const std::int32_t mask = id(c, "mask"), stop = id(c, "stop");
  if (c.has_input("spans")) expect(c, "input_ids", infill_spans(ids, spans(c), mask));
  else if (c.has_input("permutation")) expect(c, "input_ids", permute_sentences(ids, places(c, "permutation"), stop));
  else if (c.has_input("offset")) expect(c, "input_ids", rotate_document(ids, c.ids("offset")[0]));
  else if (c.about()["formula"].get_string().starts_with("drop")) expect(c, "input_ids", delete_places(ids, places(c, "positions")));
  else expect(c, "input_ids", mask_places(ids, places(c, "positions"), mask));
  expect(c, "labels", ids);
  expect(c, "decoder_input_ids", shift_right(ids, id(c, "decoder_start")));
}

/// The two sides of a target: what the decoder reads, and what it is to say.
void check_teacher_forcing(Case& c) {
  const IdMatrix tgt = modules::id_matrix(c, "tgt"), labels = modules::columns(tgt, 1, tgt.cols - 1);
  std::vector<std::int32_t> read;
  for (std::int64_t b = 0; b < tgt.rows; ++b) {
    const auto row = shift_right(std::span(labels.data).subspan(std::size_t(b * labels.cols), std::size_t(labels.cols)), id(c, "bos"));
    read.insert(read.end(), row.begin(), row.end());
  }
  expect(c, "labels", labels.data);
  expect(c, "decoder_input_ids", read);
}

void check_blocks(Case& c) {
  const auto stream = c.ids("stream");
  const StreamBlocks blocks = cut_stream(stream, c.about()["block"].get_integer());
  expect(c, "input_ids", blocks.ids);
  expect(c, "labels", blocks.labels);
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("08: BERT's two losses and their gradients are PyTorch's, and so are masked words and pairs of sentences") {
    modules::each_case("08_bert_pretraining", [](Case& c) {
      if (c.has_input("chosen")) check_masking(c);
      else if (c.has_input("a")) check_sentence_pair(c);
      else check_pretraining(c);
    });
  }

  TEST_CASE("10: corrupted spans, noise and shifted targets are those of T5 and BART") {
    modules::each_case("10_denoising", [](Case& c) {
      if (c.has_input("stream")) check_blocks(c);
      else if (c.has_input("tgt")) check_teacher_forcing(c);
      else if (c.about().has("first_sentinel")) check_spans(c);
      else check_noise(c);
    });
  }
}

#endif
