#include "decoding/beam_search.h"
#include "decoding/generation_run.h"
#include "decoding/processors.h"
#include "decoding/sampling.h"
#include "decoding/sequence.h"

namespace webformer {

namespace {

struct Row {
  const Prompt* prompt;
  OwnedSequence sequence;
  std::vector<std::int32_t> ids;
  Random random;
  EndOfSequence end;
  OutputRow output;
  double log_probability = 0;
  std::int64_t step = 0;
  std::int64_t node = -1;  ///< its last token in the result's list of steps
  bool done = false;
};

/// Chooses the next token of a row. scores: [V], changed.
void extend(GenerationRun& run, Row& row, std::span<float> scores) {
  const GenerationConfig& config = run.config;
  process_logits(config, {row.ids, std::int64_t(row.prompt->ids.size()), row.prompt->max_length}, scores);
  const std::int32_t id = config.samples() ? draw_token(scores, row.random.uniform()) : best_token(scores);
  if (config.return_scores || config.return_beams) row.log_probability += log_probability(scores, id);
  row.node = run.note(row.step++, row.node, id, row.log_probability);
  row.ids.push_back(id);

  const std::optional<FinishReason> end = row.end.push(id, std::int64_t(row.ids.size()));
  row.done = end.has_value();
  GenerationItem item = row.output.add(std::span(&id, 1), row.done);
  item.candidates = run.candidates(scores);
  run.emit(std::move(item));
  if (!end) return;
  const auto made = std::int64_t(row.ids.size() - row.prompt->ids.size());
  run.finish(row.output, *row.prompt, std::move(row.ids), *end, hypothesis_score(row.log_probability, made, config.length_penalty));
}

}  // namespace

Task<> generate_rows(GenerationRun& run) {
  std::vector<OwnedSequence> prefixes;
  std::vector<Feed> feeds;
  std::vector<std::int64_t> numbers;  // of the prompts that are fed
  for (std::size_t p = 0; p < run.prompts.size(); ++p) {
    if (!run.prompts[p].has_room()) continue;
    prefixes.push_back(OwnedSequence(run.session, int(p)));
    feeds.push_back({prefixes.back().id(), run.prompts[p].ids});
    numbers.push_back(std::int64_t(p));
  }
  if (feeds.empty()) co_return;
  Matrix logits = co_await run.session.step(feeds, run.schedule);

  std::vector<Row> rows;
  std::vector<std::int64_t> logits_row;  // of each row
  const std::int64_t copies = run.config.num_return_sequences;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Prompt& prompt = run.prompts[std::size_t(numbers[i])];
    const EndOfSequence end(run.config, run.tokenizer, prompt, run.text_before(prompt));
    const TextStream text(run.tokenizer, run.text_before(prompt), true);
    for (std::int64_t r = 0; r < copies; ++r) {
      OwnedSequence sequence = r + 1 < copies ? prefixes[i].fork() : std::move(prefixes[i]);
      rows.push_back({&prompt, std::move(sequence), prompt.ids, run.random(numbers[i], r), end, OutputRow(numbers[i] * copies + r, text)});
      logits_row.push_back(std::int64_t(i));
    }
  }

  std::vector<float> scores;
  while (true) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scores.assign(logits.row(logits_row[i]), logits.row(logits_row[i]) + logits.cols);
      extend(run, rows[i], scores);
    }
    std::erase_if(rows, [](const Row& row) { return row.done; });
    co_await run.pause();
    if (rows.empty()) co_return;

    feeds.clear();
    logits_row.clear();
    for (const Row& row : rows) {
      logits_row.push_back(std::int64_t(feeds.size()));
      feeds.push_back({row.sequence.id(), std::span(row.ids).last(1)});
    }
    logits = co_await run.session.step(feeds, run.schedule);
  }
}

}  // namespace webformer
