// The Generate tab: a text that grows token by token, and what else might have come.
import type { GenerationResult } from 'webformer';
import { CANDIDATES, createCandidates, visible, type Candidate } from './candidates';
import { startCopyButton } from './copy';
import { announce, byId, debounce, fillExamples, perFrame } from './dom';
import * as format from './format';
import { onLanguage, t } from './i18n';
import { createModelBar } from './model-bar';
import { openModel } from './models';
import { createNotices } from './notices';
import {
  chosenLength, focusWrong, isSamplingValid, nextSeed, onSampling, readSampling, samplingOptions, startSampling, writeSampling,
} from './sampling';
import { reportSpeed } from './status';
import { createStory, type Step } from './story';
import { currentTab, onTab } from './tabs';
import { makeLinkable, updateUrl } from './url-state';

const EXAMPLES = [
  'Once upon a time',
  'Once upon a time there was a little girl who',
  'A fox was walking through the forest when',
  'In the middle of the sea lived an old king, and his daughter',
];
const PAUSE_MS = 200;

export function startGenerate(): void {
  const prompt = byId('prompt', HTMLTextAreaElement);
  const run = byId('generate-run', HTMLButtonElement);
  const more = byId('generate-more', HTMLButtonElement);
  const stop = byId('generate-stop', HTMLButtonElement);
  const measure = byId('generate-measure', HTMLElement);
  const place = byId('story', HTMLDivElement);
  const notices = createNotices(byId('generate-notices', HTMLDivElement));
  const modelBar = createModelBar(byId('generate-model', HTMLDivElement), 'generate', () => {
    notices.clear();    // it is of the model before
    forgetUpcoming();
    preview();
  });
  const candidates = createCandidates(take);
  const story = createStory(place, inspect, () => writing === null);
  startSampling();

  /** The tale under way, and the look at what may follow `standing`: never both. */
  let writing: AbortController | null = null;
  let looking: AbortController | null = null;
  /** Whether one looks at what follows the tale, or the beginning, which was changed since. */
  let onTale = false;
  let upcoming: { of: string; candidates: readonly Candidate[] } = { of: '', candidates: [] };
  let inspected: number | null = null;
  let measured: { tokens: number; speed: number | null } | null = null;

  const standing = () => (onTale ? story.text() : prompt.value);

  function inspect(index: number | null): void {
    inspected = index;
    showCandidates();
  }

  function showCandidates(): void {
    const steps = story.steps();
    const index = inspected ?? (writing ? steps.length - 1 : -1);
    const after = onTale ? 'generate.after.tale' : 'generate.after.beginning';
    if (index < 0) return candidates.show(writing ? [] : upcoming.candidates, t(after));
    candidates.show(steps[index].candidates, t('generate.step', { n: index + 1 }), steps[index].ids[0]);
  }

  function forgetUpcoming(): void {
    upcoming = { of: '', candidates: [] };
    showCandidates();
  }

  /** The tale ends with this token, at the place that is looked at or behind all; the beginning stays as the user wrote it. */
  function take(candidate: Candidate): void {
    const place = inspected;
    const isOld = place === null && upcoming.of !== standing();    // the look at what follows is still under way
    if (writing || isOld) return;
    const offered = place === null ? upcoming.candidates : story.steps()[place].candidates;
    if (place !== null) story.cut(place);
    else if (!onTale) story.begin(prompt.value);
    onTale = true;
    story.add({ text: candidate.text, ids: [candidate.id], candidates: offered, picked: true });
    more.disabled = false;
    announce(t('generate.added', { token: visible(candidate.text) }));
    showCandidates();
    preview();
  }

  /** Starts the model on `text`; what comes of it has its candidates decoded. */
  async function* continued(text: string, signal: AbortSignal, maxNewTokens: number): AsyncGenerator<Step, GenerationResult> {
    const model = await openModel(modelBar.item());
    signal.throwIfAborted();
    const room = Math.max(1, model.info.contextLength - (model.tokenizer?.encode(text).ids.length ?? 0));
    const generation = model.generate(text, {
      ...samplingOptions(model.info.vocabSize), maxNewTokens: Math.min(maxNewTokens, room), topCandidates: CANDIDATES, signal,
    });
    const readable = (id: number, token: string) => model.tokenizer?.decode([id], { skipSpecialTokens: false }) || token;
    for await (const { text: piece, ids, candidates: found = [] } of generation) {
      signal.throwIfAborted();
      yield { text: piece, ids, candidates: found.map(({ id, token, probability }) => ({ id, probability, text: readable(id, token) })) };
    }
    return await generation.result();    // without the await, WebKit's generators end with the promise itself
  }

  /** Looks at what may follow the tale or the beginning as it stands. */
  async function look(): Promise<void> {
    looking?.abort();
    if (writing || currentTab() !== 'generate' || !isSamplingValid()) return;
    const { signal } = looking = new AbortController();
    const of = standing();
    try {
      const { value, done } = await continued(of, signal, 1).next();
      upcoming = { of, candidates: done ? [] : value.candidates };
      notices.clear();
      showCandidates();
    } catch (error) {
      if (signal.aborted) return;
      forgetUpcoming();
      notices.show(() => t('generate.failed'), error);
    }
  }
  const preview = debounce(look, PAUSE_MS);

  function setWriting(controller: AbortController | null): void {
    const focused = [run, more, stop].some((button) => button === document.activeElement);
    writing = controller;
    stop.disabled = controller === null;
    run.disabled = more.disabled = controller !== null;
    place.ariaBusy = String(controller !== null);
    if (focused) (controller ? stop : run).focus();
  }

  /** Writes a new tale from the beginning, or more of the one that stands. */
  async function write(from: 'beginning' | 'tale'): Promise<void> {
    nextSeed();
    if (!isSamplingValid()) return focusWrong();
    looking?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    setWriting(controller);
    updateUrl();
    notices.clear();
    measured = null;
    renderMeasure();
    if (from === 'beginning') story.begin(prompt.value);
    onTale = true;
    const before = story.steps().length;
    const made = () => story.steps().length - before;
    let first = 0, failed = false;
    const refresh = perFrame(() => {
      if (writing !== controller) return;
      showCandidates();
      showMeasure(made(), performance.now() - first);
    });
    try {
      const steps = continued(story.text(), signal, chosenLength());
      let next = await steps.next();
      for (; !next.done; next = await steps.next()) {
        first ||= performance.now();
        story.add(next.value);
        refresh();
      }
      showMeasure(next.value.usage.newTokens, next.value.usage.decodeMs);
    } catch (error) {
      failed = !signal.aborted;
      if (failed) notices.show(() => t('generate.failed'), error);
    }
    setWriting(null);
    announce(t(signal.aborted ? 'generate.stopped' : 'generate.done', { n: made() }));
    forgetUpcoming();
    if (!failed) await look();    // which would take the error away
  }

  /** `milliseconds` since the first of the tokens, which comes with the reading of the prompt. */
  function showMeasure(tokens: number, milliseconds: number): void {
    const speed = (tokens - 1) / milliseconds * 1000;
    const known = tokens > 3 && Number.isFinite(speed);
    measured = { tokens, speed: known ? speed : null };
    renderMeasure();
    if (known) reportSpeed(modelBar.item(), speed);
  }

  function renderMeasure(): void {
    const { tokens = 0, speed = null } = measured ?? {};
    const parts = [measured && t('tokens', { n: tokens }), speed !== null && format.speed(speed)];
    measure.textContent = parts.filter(Boolean).join(' · ');
  }

  function changePrompt(): void {
    onTale = false;
    updateUrl();
    preview();
  }

  run.addEventListener('click', () => void write('beginning'));
  more.addEventListener('click', () => void write('tale'));
  stop.addEventListener('click', () => writing?.abort());
  byId('generate', HTMLElement).addEventListener('keydown', (event) => {
    if (event.key === 'Escape') writing?.abort();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || writing) return;
    event.preventDefault();
    void write('beginning');
  });
  prompt.addEventListener('input', changePrompt);
  onSampling(() => {
    updateUrl();
    preview();
  });
  startCopyButton(byId('generate-copy', HTMLButtonElement), story.text);
  fillExamples(byId('generate-examples', HTMLDivElement), EXAMPLES, (text) => {
    if (writing) return;
    prompt.value = text;
    void write('beginning');
  }, 'en');

  let early = prompt.value;    // typed while the code of this tab was fetched
  prompt.value = early || EXAMPLES[0];
  run.disabled = false;
  makeLinkable('generate', {
    read(parameters, refuse) {
      prompt.value = parameters.get('text') ?? (early || EXAMPLES[0]);
      early = '';
      readSampling(parameters, refuse);
      changePrompt();
    },
    write(parameters) {
      parameters.set('text', prompt.value);
      writeSampling(parameters);
    },
  });
  onLanguage(showCandidates);
  onLanguage(renderMeasure);
  onTab((tab) => { if (tab === 'generate') void look(); });
}
