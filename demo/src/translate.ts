// The Translate tab: two panes, as one types.
import type { GenerationResult, Model } from 'webformer';
import { createAlternatives, type Alternative } from './alternatives';
import { startCopyButton } from './copy';
import { announce, byId, debounce, fillExamples } from './dom';
import { language, onLanguage, t } from './i18n';
import { createModelBar } from './model-bar';
import { openModel } from './models';
import { createNotices } from './notices';
import { splitSentences, type Sentence } from './sentences';
import { forgetSpeed, reportSpeed } from './status';
import { currentTab, onTab } from './tabs';
import { createTranslationView } from './translation-view';
import { makeLinkable, updateUrl } from './url-state';

const EXAMPLES = [
  'Do you remember what he said yesterday?',
  'I have never seen such a beautiful garden.',
  "If it rains tomorrow, I'll stay at home.",
  'My brother works in a bank. He gets up early every day, but he never goes to bed before midnight. I don\'t know how he does it.',
];
const PAUSE_MS = 150;
/** Translations kept, so that a sentence that did not change is not translated again. */
const MAX_KEPT = 400;

interface Translation { chosen: string; alternatives: Alternative[] }

export function startTranslate(): void {
  const source = byId('source', HTMLTextAreaElement);
  const beams = byId('beams', HTMLSelectElement);
  const measure = byId('translate-measure', HTMLElement);
  const target = byId('target', HTMLDivElement);
  const notices = createNotices(byId('translate-notices', HTMLDivElement));
  const modelBar = createModelBar(byId('translate-model', HTMLDivElement), 'translate', () => restart());

  const kept = new Map<string, Translation>();
  let sentences: Sentence[] = [];
  let selected = 0;
  let running: AbortController | null = null;
  let measured: { tokens: number; milliseconds: number } | null = null;

  const keyOf = ({ text }: Sentence) => JSON.stringify([modelBar.item().id, beams.value, text]);
  const keep = (key: string, translation: Translation) => {
    kept.set(key, translation);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  };

  const view = createTranslationView(target, select);
  const alternatives = createAlternatives((text) => {
    const known = kept.get(keyOf(sentences[selected]));
    if (!known) return;
    known.chosen = text;
    view.finish(selected, text);
    select(selected);
  });

  function select(index: number): void {
    const sentence = sentences[index];
    const known = sentence && kept.get(keyOf(sentence));
    if (!known) return;
    selected = index;
    view.select(index);
    alternatives.show(sentence.text, known.alternatives, known.chosen, target.lang);
  }

  /** One sentence, streamed into the view. */
  async function translateSentence(model: Model, index: number, signal: AbortSignal): Promise<GenerationResult> {
    const numBeams = Number(beams.value);
    const options = { numBeams, numReturnSequences: numBeams, returnScores: true, signal };
    const generation = model.translate(sentences[index].text, options);
    let sure = '';
    for await (const item of generation) {
      if (item.index !== 0 || signal.aborted) continue;    // the best of the n; an item may still be on its way after an abort
      sure += item.text;
      view.stream(index, sure, item.draft ?? '');
    }
    return generation.result();
  }

  async function run(): Promise<void> {
    running?.abort();
    const { signal } = running = new AbortController();
    sentences = splitSentences(source.value, source.lang || 'en');
    if (sentences.length === 0) return clear();
    view.lay(sentences);
    let tokens = 0, milliseconds = 0, last = 0;
    try {
      const model = await openModel(modelBar.item());
      signal.throwIfAborted();
      for (const [index, sentence] of sentences.entries()) {
        const known = kept.get(keyOf(sentence));
        if (known) {
          view.finish(index, known.chosen);
          continue;
        }
        const { texts, scores = [], usage } = await translateSentence(model, index, signal);
        signal.throwIfAborted();
        keep(keyOf(sentence), { chosen: texts[0], alternatives: texts.map((text, i) => ({ text, score: scores[i] ?? NaN })) });
        view.finish(index, texts[0]);
        select(last = index);
        tokens += usage.newTokens / texts.length;
        milliseconds += usage.prefillMs + usage.decodeMs;
        showMeasure(tokens, milliseconds);
      }
      select(tokens > 0 ? last : Math.min(selected, sentences.length - 1));
      if (tokens > 0) announce(t('translate.done', { text: view.text() }));
      notices.clear();
    } catch (error) {
      if (signal.aborted) return;
      view.giveUp();
      if (tokens === 0) forgetResult();
      notices.show(() => t('translate.failed'), error);
    }
  }

  /** What stands beside the translation of a text that is gone. */
  function forgetResult(): void {
    alternatives.clear();
    measured = null;
    renderMeasure();
    forgetSpeed();
    announce('');
  }

  function renderMeasure(): void {
    measure.textContent = measured
      ? t('translate.measure', { ms: Math.round(measured.milliseconds), tokens: Math.round(measured.tokens) }) : '';
  }

  function showMeasure(tokens: number, milliseconds: number): void {
    measured = { tokens, milliseconds };
    renderMeasure();
    reportSpeed(modelBar.item(), tokens / milliseconds * 1000);
  }

  function clear(): void {
    running?.abort();
    view.clear();
    forgetResult();
    notices.clear();
  }

  function restart(): void {
    showLanguages();
    notices.clear();    // it is of the model before
    if (currentTab() === 'translate') void run();
  }

  function showLanguages(): void {
    const languages = modelBar.item().languages;
    const names = new Intl.DisplayNames(language(), { type: 'language' });
    byId('source-label', HTMLElement).textContent = languages ? names.of(languages.from)! : t('translate.source');
    byId('target-label', HTMLElement).textContent = languages ? names.of(languages.to)! : t('translate.target');
    source.lang = languages?.from ?? '';
    target.lang = languages?.to ?? '';
  }

  const use = (text: string) => {
    source.value = text;
    updateUrl();
    void run();
  };
  const typed = debounce(run, PAUSE_MS);
  source.addEventListener('input', () => {
    running?.abort();
    typed();
    updateUrl();
  });
  beams.addEventListener('change', () => {
    updateUrl();
    void run();
  });
  byId('translate-clear', HTMLButtonElement).addEventListener('click', () => {
    use('');
    source.focus();
  });
  startCopyButton(byId('translate-copy', HTMLButtonElement), view.text);
  fillExamples(byId('translate-examples', HTMLDivElement), EXAMPLES, use, 'en');

  source.value = EXAMPLES[0];
  makeLinkable('translate', {
    read(parameters, refuse) {
      source.value = parameters.get('text') ?? EXAMPLES[0];
      const wanted = beams.value = parameters.get('beams') ?? '4';
      if (beams.selectedIndex >= 0) return;
      beams.value = '4';
      refuse('beams', wanted, beams.value);
    },
    write(parameters) {
      parameters.set('text', source.value);
      parameters.set('beams', beams.value);
    },
  });
  onLanguage(showLanguages);
  onLanguage(renderMeasure);
  onTab((tab) => { if (tab === 'translate') void run(); });
}
