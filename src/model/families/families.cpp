#include <algorithm>
#include <array>
#include <limits>

#include "core/error.h"
#include "core/format.h"
#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

namespace {

constexpr std::array rows{&albert,  &bart,    &bert,     &bloom,      &cohere,  &distilbert,  &electra,    &gemma,   &gemma2,
                          &gemma3,  &gpt2,    &gpt_neox, &llama,      &m2m100,  &marian,      &mbart,      &mistral, &modernbert,
                          &mpt,     &mt5,     &olmo,     &opt,        &pegasus, &phi,         &phi3,       &qwen2,   &qwen3,
                          &roberta, &smollm3, &stablelm, &starcoder2, &t5,      &transformer, &xlm_roberta};

Head head_of(std::string_view architecture) {
  constexpr std::pair<std::string_view, Head> endings[] = {{"ForMaskedLM", Head::masked_lm},
                                                           {"ForPreTraining", Head::pretraining},
                                                           {"ForNextSentencePrediction", Head::next_sentence},
                                                           {"ForSequenceClassification", Head::sequence_classification},
                                                           {"ForTokenClassification", Head::token_classification},
                                                           {"ForQuestionAnswering", Head::question_answering},
                                                           {"ForCausalLM", Head::causal_lm},
                                                           {"LMHeadModel", Head::causal_lm},
                                                           {"DoubleHeadsModel", Head::causal_lm},
                                                           {"ForConditionalGeneration", Head::causal_lm},
                                                           {"MTModel", Head::causal_lm},
                                                           {"Model", Head::none}};
  for (const auto& [ending, head] : endings) {
    if (architecture.ends_with(ending)) return head;
  }
  if (architecture.empty()) return Head::none;
  throw Error(Code::unsupported_model, "config.json: architectures[0] is \"{}\", whose head is not supported", architecture);
}

/// id2label as a list; without it as many as num_labels says (2 where it is silent), named as Hugging Face names them.
std::vector<std::string> read_labels(const Json& config) {
  std::vector<std::string> labels;
  if (config.has("id2label")) {
    const Json names = config["id2label"];
    for (std::size_t i = 0; names.has(std::to_string(i)); ++i) labels.emplace_back(names[std::to_string(i)].get_string());
    if (labels.size() != names.members().size()) {
      throw Error(Code::invalid_file, "{}: id2label has {} entries, of which 0 to {} follow each other", config.file(),
                  names.members().size(), labels.size());
    }
  }
  const std::int64_t count = labels.empty() ? read_size(config, {"num_labels"}, 2, 1, 1 << 20) : 0;
  for (std::int64_t i = 0; i < count; ++i) labels.push_back("LABEL_" + std::to_string(i));
  return labels;
}

/// -1 is how many files write that there is none. One beyond the vocabulary is left as it is: no text has it.
std::int32_t read_id(const Json& value) {
  const std::int64_t id = value.is_null() ? -1 : value.get_integer();
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (id < -1 || id > most) {
    throw Error(Code::invalid_file, "{}: {} is {}, a token id from 0 to {} expected, or -1 for none", value.file(), value.path(), id, most);
  }
  return std::int32_t(id);
}

std::vector<std::int32_t> read_ids(const Json& value) {
  std::vector<std::int32_t> ids;
  if (value.is_array()) {
    for (const Json& item : value.items()) ids.push_back(read_id(item));
  } else if (!value.is_null()) {
    ids.push_back(read_id(value));
  }
  return ids;
}

/// Numbers that mean something only beside scales of their own, and heads that were cut out.
void refuse_packed_weights(const Json& config) {
  const Json packed = config["quantization_config"], pruned = config["pruned_heads"];
  if (packed.is_object()) {
    throw Error(Code::unsupported_model, "{}: quantization_config.quant_method is \"{}\", only weights as floating-point numbers are read",
                config.file(), packed.get_or("quant_method", ""));
  }
  if (pruned.is_object() && !pruned.members().empty())
    throw Error(Code::unsupported_model, "{}: pruned_heads is {}, only {} is supported", config.file(), pruned.to_json());
}

void check(const ModelConfig& c) {
  const auto need = [](bool right, std::string_view what, auto found, std::string_view expected) {
    if (!right) throw Error(Code::invalid_file, "config.json: {} is {}, {} expected", what, found, expected);
  };
  need(c.vocab_size > 0, "vocab_size", c.vocab_size, "at least 1");
  need(c.context_length > 0, "max_position_embeddings", c.context_length, "at least 1");
  need(c.pad_token_id < c.vocab_size, "pad_token_id", c.pad_token_id, "less than vocab_size");
}

/// config.json with the family's defaults. A token that the vocabulary does not reach is none.
JsonDocument with_defaults(const Json& config, std::string_view defaults) {
  const std::int64_t vocab_size = read_size(config, {"vocab_size"});
  const JsonDocument document = JsonDocument::parse(defaults, "defaults");
  std::string text = "{";
  for (const auto& [key, value] : document.root().members()) {
    if (!config[key].is_missing() || (key.ends_with("_token_id") && value.get_integer() >= vocab_size)) continue;
    text += webformer::format("\"{}\":{},", key, value.to_json());
  }
  return JsonDocument::parse(text + config.to_json().substr(1), std::string(config.file()));
}

}  // namespace

std::span<const Family* const> families() { return rows; }

std::vector<WeightName> add_rows(std::vector<WeightName> first, const std::vector<WeightName>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<WeightName> join_rows(std::vector<WeightName> first, const std::vector<WeightName>& second) {
  const std::size_t count = first.size();
  for (const WeightName& row : second) {
    const bool replaced =
        std::any_of(first.begin(), first.begin() + std::ptrdiff_t(count), [&](const WeightName& own) { return own.ours == row.ours; });
    if (!replaced) first.push_back(row);
  }
  return first;
}

const Family& family_of(const Json& config) {
  if (!config.is_object()) throw Error(Code::invalid_file, "{}: an object expected", config.file());
  const std::string type = config.get_or("model_type", "");
  std::string list;
  for (const Family* family : rows) {
    if (family->model_type == type) return *family;
    list += (list.empty() ? "" : ", ") + std::string(family->model_type);
  }
  throw Error(Code::unsupported_model, "{}: model_type is \"{}\", one of {} expected", config.file(), type, list)
      .with("found", type)
      .with("supported", list);
}

ModelConfig read_config(const Json& written) {
  const Family& family = family_of(written);
  const JsonDocument document = with_defaults(written, family.defaults);
  const Json config = document.root();
  ModelConfig c;
  c.model_type = family.model_type;
  if (config.has("architectures") && !config["architectures"].items().empty())
    c.architecture = config["architectures"].items().front().get_string();
  c.head = head_of(c.architecture);
  c.vocab_size = int(read_size(config, {"vocab_size"}));
  c.labels = read_labels(config);
  c.problem_type = config.get_or("problem_type", "");
  c.pad_token_id = read_id(config["pad_token_id"]);
  c.decoder_start_token_id = read_id(config["decoder_start_token_id"]);
  c.eos_token_ids = read_ids(config["eos_token_id"]);
  c.tied = config.get_or("tie_word_embeddings", true);
  refuse_packed_weights(config);
  family.configure(config, c);
  for (const RopeConfig& rope : c.decoder.ropes) {
    if (rope.longest > 0) c.context_length = std::min(c.context_length, rope.longest);
  }
  if (c.target_vocab_size == 0) c.target_vocab_size = c.vocab_size;
  check(c);
  return c;
}

}  // namespace webformer
