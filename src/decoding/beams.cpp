#include <algorithm>

#include "decoding/beam_search.h"
#include "decoding/generation_run.h"
#include "decoding/processors.h"
#include "decoding/sampling.h"
#include "decoding/sequence.h"
#include "kernels/elementwise.h"

namespace webformer {

namespace {

/// What goes with each beam of BeamSearch::live().
struct LiveBeam {
  OwnedSequence sequence;
  EndOfSequence end;
  std::int64_t node = -1;  ///< its last token in the result's list of steps
};

/// The search of one prompt.
struct PromptSearch {
  const Prompt* prompt;
  BeamSearch search;
  std::vector<LiveBeam> beams;
  Random random;
  std::vector<OutputRow> outputs;  ///< num_return_sequences
  std::size_t agreed;              ///< the length up to which all that may be returned is equal, and was streamed
  std::int64_t step = 0;
};

/// How far all beams, and the hypotheses that may still be returned, are equal. A hypothesis only ever falls in rank.
std::size_t agreement(const PromptSearch& s) {
  const std::vector<std::int32_t>& first = s.search.live().front().ids;
  std::size_t length = first.size();
  const auto compare = [&](const std::vector<std::int32_t>& ids) {
    const auto [mine, theirs] = std::ranges::mismatch(first, ids);
    length = std::min(length, std::size_t(mine - first.begin()));
  };
  for (const Beam& beam : s.search.live()) compare(beam.ids);
  const std::size_t returned = std::min(s.outputs.size(), s.search.finished().size());
  for (std::size_t i = 0; i < returned; ++i) compare(s.search.finished()[i].ids);
  return length;
}

/// Gives the beams that go on their parents' sequences: the last child of a parent takes the sequence, the others share its past.
std::vector<LiveBeam> inherit(PromptSearch& s, std::span<const Continuation> best, std::vector<EndOfSequence>& ends) {
  std::vector<int> children(s.beams.size());
  for (const Beam& beam : s.search.live()) ++children[std::size_t(best[beam.continuation].beam)];
  std::vector<LiveBeam> next;
  for (const Beam& beam : s.search.live()) {
    const auto parent = std::size_t(best[beam.continuation].beam);
    OwnedSequence& sequence = s.beams[parent].sequence;
    OwnedSequence own = --children[parent] > 0 ? sequence.fork() : std::move(sequence);
    next.push_back({std::move(own), std::move(ends[beam.continuation]), s.beams[parent].node});
  }
  return next;
}

void stream(GenerationRun& run, PromptSearch& s, std::vector<TokenCandidate> candidates) {
  const std::vector<std::int32_t>& best = s.search.leader();
  const std::size_t agreed = agreement(s);
  for (OutputRow& output : s.outputs) {
    GenerationItem item = output.add(std::span(best).subspan(s.agreed, agreed - s.agreed), false);
    if (&output == &s.outputs.front()) {
      if (run.tokenizer) item.draft = output.preview(std::span(best).subspan(agreed));
      item.candidates = std::move(candidates);
    }
    run.emit(std::move(item));
  }
  s.agreed = agreed;
}

/// The rest of every sequence. Where a forced token leaves fewer hypotheses than were asked for, the last one stands for the others.
void finish(GenerationRun& run, PromptSearch& s, std::vector<TokenCandidate> candidates) {
  for (std::size_t i = 0; i < s.outputs.size(); ++i) {
    const Hypothesis& made = s.search.finished()[std::min(i, s.search.finished().size() - 1)];
    GenerationItem item = s.outputs[i].add(std::span(made.ids).subspan(s.agreed), true);
    if (i == 0) item.candidates = std::move(candidates);
    run.emit(std::move(item));
    run.finish(s.outputs[i], *s.prompt, made.ids, made.reason, made.score);
  }
}

/// One step of one prompt. logits: [live beams, V], changed.
void extend(GenerationRun& run, PromptSearch& s, Matrix logits) {
  const std::vector<Beam>& live = s.search.live();
  log_softmax(logits);
  std::vector<BeamScores> scores;
  for (std::size_t i = 0; i < live.size(); ++i) {
    const std::span row(logits.row(std::int64_t(i)), std::size_t(logits.cols));
    process_logits(run.config, {live[i].ids, std::int64_t(s.prompt->ids.size()), s.prompt->max_length}, row);
    scores.push_back({live[i].score, row});
  }
  const std::size_t wanted = s.search.continuations();
  const std::vector<Continuation> best =
      run.config.samples() ? draw_continuations(scores, wanted, s.random) : best_continuations(scores, wanted);

  std::vector<EndOfSequence> ends;
  std::vector<std::optional<FinishReason>> reasons;
  for (const Continuation& one : best) {
    const auto beam = std::size_t(one.beam);
    ends.push_back(s.beams[beam].end);
    reasons.push_back(ends.back().push(one.id, std::int64_t(live[beam].ids.size()) + 1));
  }
  std::vector<TokenCandidate> candidates = run.candidates(scores.front().log_probabilities);

  const std::vector<std::size_t> completed = s.search.advance(best, reasons);
  std::vector<LiveBeam> next = inherit(s, best, ends);
  for (std::size_t i = 0; i < next.size(); ++i) {
    const Continuation& one = best[s.search.live()[i].continuation];
    next[i].node = run.note(s.step, next[i].node, one.id, one.score);
  }
  for (const std::size_t i : completed) run.note(s.step, s.beams[std::size_t(best[i].beam)].node, best[i].id, best[i].score);
  s.beams = std::move(next);
  ++s.step;
  s.search.done() ? finish(run, s, std::move(candidates)) : stream(run, s, std::move(candidates));
}

}  // namespace

Task<> generate_beams(GenerationRun& run) {
  std::vector<PromptSearch> searches;
  std::vector<Feed> feeds;
  const std::int64_t copies = run.config.num_return_sequences;
  for (std::size_t p = 0; p < run.prompts.size(); ++p) {
    const Prompt& prompt = run.prompts[p];
    if (!prompt.has_room()) continue;
    const TextStream text(run.tokenizer, run.text_before(prompt), true);
    std::vector<LiveBeam> beams;
    beams.push_back({OwnedSequence(run.session, int(p)), EndOfSequence(run.config, run.tokenizer, prompt, run.text_before(prompt))});
    std::vector<OutputRow> outputs;
    for (std::int64_t r = 0; r < copies; ++r) outputs.emplace_back(std::int64_t(p) * copies + r, text);
    feeds.push_back({beams.front().sequence.id(), prompt.ids});
    searches.push_back({&prompt, BeamSearch(run.config, prompt.ids, prompt.max_length), std::move(beams), run.random(std::int64_t(p), 0),
                        std::move(outputs), prompt.ids.size()});
  }
  while (!searches.empty()) {
    const Matrix logits = co_await run.session.step(feeds, run.schedule);
    std::int64_t row = 0;
    for (PromptSearch& s : searches) {
      const auto count = std::int64_t(s.beams.size());
      extend(run, s, logits.rows_from(row, count));
      row += count;
    }
    std::erase_if(searches, [](const PromptSearch& s) { return s.search.done(); });
    co_await run.pause();

    feeds.clear();
    for (const PromptSearch& s : searches) {
      for (std::size_t i = 0; i < s.beams.size(); ++i) {
        feeds.push_back({s.beams[i].sequence.id(), std::span(s.search.live()[i].ids).last(1)});
      }
    }
  }
}

}  // namespace webformer
