#pragma once
// Tokenizers of a handful of tokens for the tests of objectives.

#include <memory>
#include <string>

#include "formats/tokenizer_files.h"
#include "text/text.h"

namespace webformer::fixtures {

inline std::shared_ptr<const Tokenizer> tokenizer_of(const std::string& json) {
  return std::make_shared<const Tokenizer>(Tokenizer::compile(read_tokenizer({{"tokenizer.json", json}})));
}

/// BERT's: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, a to j 5 to 14, ##a to ##j 15 to 24, "." 25.
inline std::shared_ptr<const Tokenizer> wordpiece() {
  std::string added, vocab;
  const std::string special[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  int id = 0;
  for (const std::string& token : special) {
    const std::string number = std::to_string(id++);
    vocab += "\"" + token + "\": " + number + ", ";
    added += (added.empty() ? "" : ", ") + ("{\"id\": " + number + ", \"content\": \"" + token) +
             "\", \"special\": true, \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false}";
  }
  for (const char* prefix : {"", "##"})
    for (char letter = 'a'; letter <= 'j'; ++letter) vocab += "\"" + std::string(prefix) + letter + "\": " + std::to_string(id++) + ", ";
  vocab += "\".\": " + std::to_string(id);
  return tokenizer_of(R"({"version": "1.0", "added_tokens": [)" + added + R"(], "normalizer": null,
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                 {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
      "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}},
               {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
      "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                         "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
              "vocab": {)" + vocab + "}}}");
}

/// T5's, of words: <pad> 0, </s> 1, <unk> 2, a to j 3 to 12, <extra_id_1> 13, <extra_id_0> 14, <mask> 15.
inline std::shared_ptr<const Tokenizer> words_with_sentinels() {
  std::string added, vocab;
  int id = 0;
  const auto token = [&](const std::string& text, bool special) {
    const std::string number = std::to_string(id++);
    vocab += (vocab.empty() ? "\"" : ", \"") + text + "\": " + number;
    if (!special) return;
    added += (added.empty() ? "" : ", ") + ("{\"id\": " + number + ", \"content\": \"" + text) +
             "\", \"special\": true, \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false}";
  };
  for (const char* text : {"<pad>", "</s>", "<unk>"}) token(text, true);
  for (char letter = 'a'; letter <= 'j'; ++letter) token(std::string(1, letter), false);
  for (const char* text : {"<extra_id_1>", "<extra_id_0>", "<mask>"}) token(text, true);
  return tokenizer_of(R"({"version": "1.0", "added_tokens": [)" + added + R"(], "normalizer": null,
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
      "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}},
               {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
      "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
    "decoder": null, "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {)" + vocab + "}}}");
}

}  // namespace webformer::fixtures
