#include "model/new_head.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace webformer {

namespace {

struct TaskClass {
  std::string_view task, ending;
  bool has_labels;
};

constexpr std::array task_classes{TaskClass{"text-classification", "ForSequenceClassification", true},
                                  TaskClass{"token-classification", "ForTokenClassification", true},
                                  TaskClass{"question-answering", "ForQuestionAnswering", false}};

/// What the new class takes the place of.
constexpr std::array replaced{"architectures", "id2label", "label2id", "num_labels", "problem_type"};

const TaskClass& class_for(const NewHead& head) {
  const auto found = std::ranges::find(task_classes, head.task, &TaskClass::task);
  if (found == task_classes.end()) {
    std::vector<std::string_view> known;
    for (const TaskClass& one : task_classes) known.push_back(one.task);
    throw Error(Code::invalid_argument, "head.task: {} found, one of {} expected", head.task, join(known)).with("option", "head");
  }
  const std::size_t least = found->has_labels ? 2 : 0, most = found->has_labels ? head.labels.size() : 0;
  if (head.labels.size() < least || head.labels.size() > most) {
    throw Error(Code::invalid_argument, "head.labels: {} found, {} expected for {}", head.labels.size(),
                found->has_labels ? "at least 2" : "none", head.task)
        .with("option", "head");
  }
  for (auto label = head.labels.begin(); label != head.labels.end(); ++label) {
    if (std::find(label + 1, head.labels.end(), *label) != head.labels.end())
      throw Error(Code::invalid_argument, "head.labels: {} is there twice", *label).with("option", "head");
  }
  return *found;
}

/// "Bert" of BertModel and BertForMaskedLM, "GPT2" of GPT2LMHeadModel.
std::string_view stem_of(std::string_view name) {
  const auto before = [&](std::string_view ending) { return name.substr(0, std::min(name.rfind(ending), name.size())); };
  for (const std::string_view ending : {"LMHeadModel", "MTModel", "Model"})
    if (name.ends_with(ending)) return before(ending);
  return before("For");
}

}  // namespace

std::string with_new_head(const Json& config, const NewHead& head) {
  const TaskClass& task_class = class_for(head);
  const Json classes = config["architectures"];
  if (!classes.is_array() || classes.items().empty() || !classes.items().front().is_string())
    throw Error(Code::unsupported_model, "head: config.json names no class in architectures, so that none can be told for the task");
  JsonWriter json(2);
  json.begin_object();
  json.key("architectures");
  json.begin_array();
  json.value(std::string(stem_of(classes.items().front().get_string())) + std::string(task_class.ending));
  json.end();
  if (task_class.has_labels) {
    json.key("id2label");
    json.begin_object();
    for (std::size_t i = 0; i < head.labels.size(); ++i) json.member(std::to_string(i), head.labels[i]);
    json.end();
    json.key("label2id");
    json.begin_object();
    for (std::size_t i = 0; i < head.labels.size(); ++i) json.member(head.labels[i], std::int64_t(i));
    json.end();
  }
  for (const auto& [name, value] : config.members()) {
    if (std::ranges::find(replaced, name) != replaced.end()) continue;
    json.key(name);
    json.raw(value.to_json());
  }
  json.end();
  return std::move(json).text() + "\n";
}

}  // namespace webformer
