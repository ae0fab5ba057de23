// The Translate tab: two panes, as one types.
import type { GenerationResult, Model } from 'webformer';
import { createAlternatives } from './alternatives';
import { startCopyButton } from './copy';
import { announce, byId, debounce, fillExamples } from './dom';
import { onLanguage, t } from './i18n';
import { createModelBar } from './model-bar';
import { itemsFor, openModel, type Item } from './models';
import { createNotices } from './notices';
import { splitSentences, type Sentence } from './sentences';
import { forgetSpeed, reportSpeed } from './status';
import { currentTab, onTab } from './tabs';
import { examplesIn } from './translate-examples';
import { createLanguages } from './translate-languages';
import { translationOf, type Translation } from './translation';
import type { InsideView } from './translation-inside';
import { createTranslationView } from './translation-view';
import { makeLinkable, updateUrl } from './url-state';

/** Where a link does not say. */
const DIRECTION = 'en-fr';
const PAUSE_MS = 150;
/** Translations kept, so that a sentence that did not change is not translated again. */
const MAX_KEPT = 400;

export function startTranslate(): void {
  const source = byId('source', HTMLTextAreaElement);
  const beams = byId('beams', HTMLSelectElement);
  const measure = byId('translate-measure', HTMLElement);
  const target = byId('target', HTMLDivElement);
  const cancel = byId('translate-cancel', HTMLButtonElement);
  const progress = byId('translate-progress', HTMLProgressElement);
  const notices = createNotices(byId('translate-notices', HTMLDivElement));
  const modelBar = createModelBar(byId('translate-model', HTMLDivElement), 'translate', () => restart());
  const languages = createLanguages(modelBar.item, turn, () => restart());

  const kept = new Map<string, Translation>();
  /** The text of the last run. */
  let translated = '';
  let sentences: Sentence[] = [];
  let selected = 0;
  let running: AbortController | null = null;
  /** By the user, with sentences that are not done. */
  let stopped = false;
  /** Sentence and word that the user or a link points out, each counted from 0. */
  let pointed: { sentence: number; word: number } | null = null;
  let inside: Promise<InsideView> | null = null;
  let measured: { tokens: number; milliseconds: number } | null = null;

  const keyOf = ({ text }: Sentence) => JSON.stringify([modelBar.item().id, languages.current().options, beams.value, text]);
  const keep = (key: string, translation: Translation) => {
    kept.set(key, translation);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  };

  const view = createTranslationView(target, (sentence) => {
    point(sentence, 0);
    select(sentence);
  });
  const alternatives = createAlternatives((text) => {
    const known = kept.get(keyOf(sentences[selected]));
    if (!known) return;
    known.chosen = text;
    view.finish(selected, text);
    select(selected);
  });

  /** As the user wants it, and the link then says. */
  function point(sentence: number, word: number): void {
    pointed = { sentence, word };
    updateUrl();
  }

  function select(index: number): void {
    const sentence = sentences[index];
    const known = sentence && kept.get(keyOf(sentence));
    if (!known) return;
    selected = index;
    view.select(index);
    alternatives.show(sentence.text, known.versions, known.chosen, target.lang);
    void showInside();
  }

  /** The look inside of the sentence that is selected, its code fetched at the first. */
  async function showInside(): Promise<void> {
    inside ??= import('./translation-inside').then(({ createInside }) => createInside((word) => point(selected, word)));
    const view = await inside;
    const sentence = sentences[selected] as Sentence | undefined;
    const known = sentence && kept.get(keyOf(sentence));
    if (known) view.show(known, { from: source.lang, to: target.lang }, pointed?.sentence === selected ? pointed.word : 0);
    else view.clear();
  }

  /** One sentence, streamed into the view. */
  async function translateSentence(model: Model, index: number, signal: AbortSignal): Promise<GenerationResult> {
    const numBeams = Number(beams.value);
    const looks = { returnScores: true, returnBeams: true, attentions: true };
    const options = { ...languages.current().options, numBeams, numReturnSequences: numBeams, ...looks, signal };
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
    translated = source.value;
    sentences = splitSentences(source.value, source.lang || 'en');
    stopped = false;
    if (sentences.length === 0) return clear();
    view.lay(sentences);
    showProgress(0);
    let tokens = 0, milliseconds = 0, last = 0;
    try {
      const model = await openModel(modelBar.item());
      signal.throwIfAborted();
      for (const [index, sentence] of sentences.entries()) {
        showProgress(index);
        const known = kept.get(keyOf(sentence));
        if (known) {
          view.finish(index, known.chosen);
          continue;
        }
        const result = await translateSentence(model, index, signal);
        signal.throwIfAborted();
        const { texts, usage } = result;
        keep(keyOf(sentence), translationOf(model, sentence.text, result));
        view.finish(index, texts[0]);
        if (!pointed) select(last = index);
        tokens += usage.newTokens / texts.length;
        milliseconds += usage.prefillMs + usage.decodeMs;
        showMeasure(tokens, milliseconds);
      }
      showProgress(sentences.length);
      select(Math.min(pointed?.sentence ?? (tokens > 0 ? last : selected), sentences.length - 1));
      if (tokens > 0) announce(t('translate.done', { text: view.text() }));
      notices.clear();
    } catch (error) {
      if (signal.aborted) return;
      showProgress(sentences.length);
      view.giveUp();
      if (tokens === 0) forgetResult();
      notices.show(() => t('translate.failed'), error);
    }
  }

  /** Of several sentences, how many are done, and the button that stops them. */
  function showProgress(done: number): void {
    const all = sentences.length;
    const isUnderWay = all > 1 && done < all && !stopped;
    const hadFocus = document.activeElement === cancel;
    progress.hidden = !isUnderWay;
    progress.max = all;
    progress.value = done;
    progress.setAttribute('aria-valuetext', t('translate.progress', { n: done, all }));
    cancel.hidden = !isUnderWay && !stopped;
    cancel.textContent = t(stopped ? 'generate.more' : 'cancel');
    byId('translate-sentences', HTMLElement).textContent = isUnderWay || stopped ? t('translate.progress', { n: done, all }) : '';
    if (hadFocus && cancel.hidden) target.focus();
  }

  /** Keeps the sentences that are done; the others are translated when the user wants to go on. */
  function stop(): void {
    running?.abort();
    stopped = true;
    const done = view.giveUp();
    showProgress(done);
    announce(t('translate.progress', { n: done, all: sentences.length }));
  }

  /** What stands beside the translation of a text that is gone. */
  function forgetResult(): void {
    alternatives.clear();
    void inside?.then((shown) => shown.clear());
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
    showProgress(0);
    view.clear();
    forgetResult();
    notices.clear();
  }

  /** The other way, with what stands on the right on the left: by another model, or by the same one. */
  function turn(other: Item | null): void {
    const text = view.text(), isOfSource = translated === source.value && target.ariaBusy !== 'true';
    if (text !== '' && isOfSource) source.value = text;    // else what was typed is not translated yet, and is not to be lost
    pointed = null;
    if (other) modelBar.choose(other);
    else restart();
  }

  function restart(): void {
    updateUrl();
    showLanguages();
    notices.clear();    // it is of the model before
    if (currentTab() === 'translate') void run();
  }

  function showLanguages(): void {
    languages.render();
    byId('alternatives-sentence', HTMLElement).lang = source.lang;
    fillExamples(byId('translate-examples', HTMLDivElement), examplesIn(source.lang), use, source.lang === 'fr' ? 'fr' : 'en');
  }

  const use = (text: string) => {
    source.value = text;
    pointed = null;
    updateUrl();
    void run();
  };
  const typed = debounce(run, PAUSE_MS);
  source.addEventListener('input', () => {
    running?.abort();
    pointed = null;
    typed();
    updateUrl();
  });
  beams.addEventListener('change', () => {
    updateUrl();
    void run();
  });
  cancel.addEventListener('click', () => (stopped ? void run() : stop()));
  byId('translate-clear', HTMLButtonElement).addEventListener('click', () => {
    use('');
    source.focus();
  });
  startCopyButton(byId('translate-copy', HTMLButtonElement), view.text);

  [source.value] = examplesIn('');
  makeLinkable('translate', {
    read(parameters, refuse) {
      const direction = parameters.get('direction');
      if (direction !== null || modelBar.item().builtIn) {
        const known = itemsFor('translate').filter(({ builtIn }) => builtIn);
        const named = known.find(({ id }) => id === (direction ?? DIRECTION));
        if (!named) refuse('direction', direction!, DIRECTION);
        modelBar.choose(named ?? known.find(({ id }) => id === DIRECTION)!);
      }
      source.value = parameters.get('text') ?? examplesIn(languages.current().tags.from)[0];
      const places = (['sentence', 'word'] as const).map((name) => {
        const value = parameters.get(name) ?? '1';
        if (/^[1-9]\d{0,3}$/.test(value)) return Number(value) - 1;
        refuse(name, value, '1');
        return 0;
      });
      pointed = parameters.has('sentence') || parameters.has('word') ? { sentence: places[0], word: places[1] } : null;
      const wanted = beams.value = parameters.get('beams') ?? '4';
      if (beams.selectedIndex >= 0) return;
      beams.value = '4';
      refuse('beams', wanted, beams.value);
    },
    write(parameters) {
      parameters.set('text', source.value);
      if (modelBar.item().builtIn) parameters.set('direction', modelBar.item().id);
      parameters.set('beams', beams.value);
      if (!pointed) return;
      parameters.set('sentence', String(pointed.sentence + 1));
      if (pointed.word > 0) parameters.set('word', String(pointed.word + 1));
    },
  });
  onLanguage(showLanguages);
  onLanguage(renderMeasure);
  onLanguage(() => {
    if (sentences.length > 0) showProgress(progress.hidden && !stopped ? sentences.length : progress.value);
    if (inside) void showInside();
  });
  onTab((tab) => { if (tab === 'translate') void run(); });
}
