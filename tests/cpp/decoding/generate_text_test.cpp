#include <doctest/doctest.h>

#include "decoding/generate.h"
#include "table_model.h"

using namespace webformer;

namespace {

using Ids = std::vector<std::int32_t>;

/// Eight tokens that are written one after the other without spaces between them; the first one is special.
Tokenizer make_tokenizer() {
  WordLevelSpec words;
  words.unknown_token = "</s>";
  std::int32_t id = 0;
  for (const char* word : {"</s>", "he", "llo", " wor", "ld", "!", " st", "op"}) {
    words.vocabulary.tokens.push_back(word);
    words.vocabulary.ids.push_back(id++);
  }
  AddedTokenSpec end;
  end.content = "</s>";
  end.special = true;
  end.id = 0;
  TokenizerSpec spec;
  spec.model = std::move(words);
  spec.decoders = {FuseDecoder{}};
  spec.added_tokens = {end};
  return Tokenizer::compile(std::move(spec));
}

std::shared_ptr<const Model> counting() { return table_model(counting_logits()); }

std::string joined(const Generated& made, std::int64_t index) {
  std::string text;
  for (const GenerationItem& item : made.items) {
    if (item.index == index) text += item.text;
  }
  return text;
}

}  // namespace

TEST_CASE("texts are the new text alone, without special tokens, and the pieces of the stream joined") {
  const Tokenizer tokenizer = make_tokenizer();
  Session session(counting());
  for (const std::int64_t beams : {1, 3}) {
    GenerationConfig config;
    config.eos_token_id = {0};
    config.num_beams = beams;
    const Generated made = run_generation(session, request_of({{1, 2}}, config), &tokenizer);
    CHECK(made.result.sequences[0] == Ids{1, 2, 3, 4, 5, 6, 7, 0});
    CHECK(made.result.texts[0] == " world! stop");
    CHECK(joined(made, 0) == made.result.texts[0]);
  }
}

TEST_CASE("a stop string that spans tokens ends the text with the token that completes it, which stays whole") {
  const Tokenizer tokenizer = make_tokenizer();
  Session session(counting());
  for (const std::int64_t beams : {1, 2}) {
    GenerationConfig config;
    config.num_beams = beams;
    config.early_stopping = EarlyStopping::yes;
    config.stop_strings = {"worl"};
    const GenerationResult result = run_generation(session, request_of({{1, 2}}, config), &tokenizer).result;
    CHECK(result.sequences[0] == Ids{1, 2, 3, 4});
    CHECK(result.texts[0] == " world");
    CHECK(result.finish_reasons[0] == FinishReason::stop);
  }
}

TEST_CASE("a stop string may begin in the prompt, and may be a special token") {
  const Tokenizer tokenizer = make_tokenizer();
  Session session(counting());
  GenerationConfig config;
  config.stop_strings = {"lo wo"};
  CHECK(run_generation(session, request_of({{1, 2}}, config), &tokenizer).result.sequences[0] == Ids{1, 2, 3});
  config.stop_strings = {"op</s>"};
  const GenerationResult result = run_generation(session, request_of({{6}}, config), &tokenizer).result;
  CHECK(result.sequences[0] == Ids{6, 7, 0});
  CHECK(result.texts[0] == "op");
  CHECK(result.finish_reasons[0] == FinishReason::stop);
  config.eos_token_id = {0};
  CHECK(run_generation(session, request_of({{6}}, config), &tokenizer).result.finish_reasons[0] == FinishReason::eos);
  config.stop_strings = {"he"};  // is in the prompt only
  CHECK(run_generation(session, request_of({{1, 2}}, config), &tokenizer).result.sequences[0].back() == 0);
}

TEST_CASE("with beams an item's draft shows the rest of what leads, after what is agreed on") {
  const Tokenizer tokenizer = make_tokenizer();
  Session session(counting());
  GenerationConfig config;
  config.eos_token_id = {0};
  config.num_beams = 2;
  const Generated made = run_generation(session, request_of({{1}}, config), &tokenizer);
  REQUIRE(made.items.size() > 3);
  std::string text;
  for (std::size_t i = 0; i + 1 < made.items.size(); ++i) {
    text += made.items[i].text;
    REQUIRE(made.items[i].draft.has_value());
    CHECK(std::string("llo world! stop").starts_with(text + *made.items[i].draft));
  }
  CHECK_FALSE(made.items.back().draft.has_value());
}

TEST_CASE("candidates carry the vocabulary's entries") {
  const Tokenizer tokenizer = make_tokenizer();
  Session session(counting());
  GenerationConfig config;
  config.max_new_tokens = 1;
  config.top_candidates = 2;
  const Generated made = run_generation(session, request_of({{1}}, config), &tokenizer);
  CHECK(made.items[0].candidates[0].token == "llo");
  CHECK(made.items[0].candidates[1].token == " wor");
}
