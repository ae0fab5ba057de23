// A tokenizer trained on the user's own text. It goes on the shelf, beside the others.
import { trainTokenizer, type TokenizerKind } from 'webformer';
import { announce, byId, fillExamples } from './dom';
import { isAborted } from './errors';
import * as format from './format';
import { onLanguage, t } from './i18n';
import { putTokenizer, type Item } from './models';
import { createNotices } from './notices';
import { updateUrl, type Linkable } from './url-state';

const EXAMPLES = [
  'Once upon a time a fox lived at the edge of a forest. Every morning the fox ran to the river, and every evening it ran home again. '
    + '“Why do you run?” asked the old owl. “The river is still there tomorrow, and the forest is still there tonight.” “I run because '
    + 'running makes me faster,” said the fox, “and being faster makes me happier.” The owl thought about this for the longest time. '
    + 'Then it unfolded its wings, and flew lower and slower than any owl had flown before, and was the happiest owl in the forest.',
  '옛날 옛적 숲 가장자리에 여우가 살았습니다. 여우는 아침마다 강으로 달려갔고, 저녁마다 집으로 달려왔습니다. “왜 달리니?” 늙은 부엉이가 물었습니다. '
    + '“강은 내일도 그 자리에 있고, 숲은 오늘 밤에도 그 자리에 있단다.” “달리면 빨라지고, 빨라지면 즐거워지니까요.” 여우가 대답했습니다. 부엉이는 오래오래 생각했습니다. '
    + '그러고는 날개를 펴고 어느 부엉이보다 낮게, 천천히 날았습니다. 숲에서 가장 즐거운 부엉이였습니다.',
];
const USUAL_KIND: TokenizerKind = 'bpe';
const USUAL_SIZE = '200';
/** A link that is longer is cut by some programs. */
const MAX_LINKED = 4000;

/** The part of the Tokenize tab, and its share of the link. */
export function createOwnTokenizer(): Linkable {
  const text = byId('train-text', HTMLTextAreaElement);
  const kind = byId('train-kind', HTMLSelectElement);
  const size = byId('train-size', HTMLInputElement);
  const start = byId('train-run', HTMLButtonElement);
  const stop = byId('train-stop', HTMLButtonElement);
  const files = byId('train-files', HTMLInputElement);
  const progress = byId('train-progress', HTMLProgressElement);
  const notices = createNotices(byId('train-notices', HTMLDivElement));
  let running: AbortController | null = null;
  let outcome: (() => string) | null = null;
  let isSizeWrong = false;

  const renderOutcome = () => { byId('train-outcome', HTMLParagraphElement).textContent = outcome?.() ?? ''; };
  const renderMeasure = () => { byId('train-measure', HTMLElement).textContent = t('tokenize.length', { n: text.value.length }); };

  function renderSize(): void {
    size.ariaInvalid = String(isSizeWrong);
    byId('train-size-error', HTMLParagraphElement).textContent = isSizeWrong ? t('train.size.wrong', { most: Number(size.max) }) : '';
  }

  function checkSize(): boolean {
    isSizeWrong = !size.validity.valid || size.value === '';
    renderSize();
    return !isSizeWrong;
  }

  function setRunning(controller: AbortController | null): void {
    const focused = document.activeElement === start || document.activeElement === stop;
    running = controller;
    start.disabled = controller !== null;
    stop.disabled = controller === null;
    progress.classList.toggle('idle', controller === null);
    if (focused) (controller ? stop : start).focus();
  }

  function told(item: Item, milliseconds: number): () => string {
    const { vocabSize } = item.tokenizer!;
    return () => t('train.done', { name: item.name, n: vocabSize, ms: format.number(milliseconds) });
  }

  async function train(): Promise<void> {
    if (!checkSize()) return size.focus();
    const controller = new AbortController();
    const { signal } = controller;
    setRunning(controller);
    notices.clear();
    outcome = null;
    progress.value = 0;
    const vocabSize = Number(size.value);
    try {
      const began = performance.now();
      const tokenizer = await trainTokenizer(kind.value as TokenizerKind, text.value.split(/\n+/), {
        vocabSize, signal, onProgress: ({ done, total }) => { if (total > 0) progress.value = done / total; },
      });
      signal.throwIfAborted();
      outcome = told(putTokenizer(tokenizer, `${kind.value}-${vocabSize}`), performance.now() - began);
    } catch (error) {
      if (isAborted(error)) outcome = () => t('train.stopped');
      else notices.show(() => t('train.failed'), error);
    }
    setRunning(null);
    renderOutcome();
    if (outcome) announce(outcome());
  }

  async function readFiles(): Promise<void> {
    const texts = await Promise.all(Array.from(files.files ?? [], (file) => file.text()));
    files.value = '';
    if (texts.length > 0) useText(texts.join('\n'));
  }

  function useText(value: string): void {
    text.value = value;
    renderMeasure();
    updateUrl();
  }
  text.addEventListener('input', () => useText(text.value));
  kind.addEventListener('change', updateUrl);
  size.addEventListener('input', () => {
    checkSize();
    updateUrl();
  });
  start.addEventListener('click', train);
  stop.addEventListener('click', () => running?.abort());
  byId('train-pick', HTMLButtonElement).addEventListener('click', () => files.click());
  files.addEventListener('change', readFiles);
  fillExamples(byId('train-examples', HTMLDivElement), EXAMPLES, useText, '');
  text.value = EXAMPLES[0];
  onLanguage(renderOutcome);
  onLanguage(renderMeasure);
  onLanguage(renderSize);
  return {
    read(parameters, refuse) {
      useText(parameters.get('corpus') ?? EXAMPLES[0]);
      const wantedKind = kind.value = parameters.get('kind') ?? USUAL_KIND;
      if (kind.selectedIndex < 0) {
        kind.value = USUAL_KIND;
        refuse('kind', wantedKind, USUAL_KIND);
      }
      const wantedSize = size.value = parameters.get('size') ?? USUAL_SIZE;
      if (!checkSize()) {
        size.value = USUAL_SIZE;
        checkSize();
        refuse('size', wantedSize, USUAL_SIZE);
      }
    },
    write(parameters) {
      if (text.value !== EXAMPLES[0] && text.value.length <= MAX_LINKED) parameters.set('corpus', text.value);
      if (kind.value !== USUAL_KIND) parameters.set('kind', kind.value);
      if (size.value !== USUAL_SIZE && !isSizeWrong) parameters.set('size', size.value);
    },
  };
}
