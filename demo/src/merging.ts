// How byte-pair encoding makes its pieces: the most frequent pair of neighbours becomes one piece, again and again.
import { learnMerges, type Merging } from './bpe-merges';
import { announce, byId, debounce, fillExamples, h } from './dom';
import { isAborted } from './errors';
import { onLanguage, t } from './i18n';
import { createNotices } from './notices';
import { updateUrl, type Linkable } from './url-state';

const EXAMPLES = [
  'lowest lower newer wider',
  'she sells sea shells on the sea shore',
  '먹었다 먹는다 먹겠다 웃었다 웃는다 웃겠다',
];
const PAUSE_MS = 200;
const PAIRS_SHOWN = 10;
const TONES = 5;

const pieceOf = (text: string, tone: number, isNew: boolean) =>
  h('span', { class: `merge-piece tone-${tone % TONES}${isNew ? ' new' : ''}`, dir: 'auto' }, text);

/** The part of the Tokenize tab, and its share of the link. */
export function createMerging(): Linkable {
  const text = byId('merge-text', HTMLInputElement);
  const slider = byId('merge-step', HTMLInputElement);
  const back = byId('merge-back', HTMLButtonElement);
  const next = byId('merge-next', HTMLButtonElement);
  const notices = createNotices(byId('merge-notices', HTMLDivElement));
  let merging: Merging | null = null;
  let running: AbortController | null = null;
  /** What a link wants, until it is known how many merges there are. */
  let wanted: { step: string; refuse(used: string): void } | null = null;

  const step = () => Number(slider.value);
  const last = () => merging?.merges.length ?? 0;

  function describe(): string {
    if (!merging || last() === 0) return t('merge.nothing');
    if (step() === 0) return t('merge.start');
    const [left, right] = merging.merges[step() - 1];
    const before = merging.pairs(step() - 1).find((pair) => pair.left === left && pair.right === right)!;
    return t('merge.step', { n: step(), left, right, piece: left + right, count: before.count });
  }

  function render(): void {
    const steps = step();
    slider.max = String(last());
    slider.setAttribute('aria-valuetext', t('merge.of', { n: steps, all: last() }));
    byId('merge-of', HTMLOutputElement).textContent = t('merge.of', { n: steps, all: last() });
    byId('merge-about', HTMLParagraphElement).textContent = describe();
    const focused = document.activeElement;
    back.disabled = steps === 0;
    next.disabled = steps === last();
    if (focused instanceof HTMLButtonElement && focused.disabled && (focused === back || focused === next)) slider.focus();
    const made = merging && steps > 0 ? merging.merges[steps - 1].join('') : null;
    byId('merge-words', HTMLUListElement).replaceChildren(...(merging?.words(steps) ?? []).map((word) => h('li', {},
      h('span', { class: 'merge-pieces' }, ...word.pieces.map((piece, i) => pieceOf(piece, i, piece === made))),
      word.count > 1 && h('span', { class: 'hint' }, t('merge.times', { n: word.count })))));
    renderPairs();
    const pieces = [...merging?.alphabet ?? [], ...(merging?.merges.slice(0, steps) ?? []).map((pair) => pair.join(''))];
    byId('merge-vocabulary-title', HTMLHeadingElement).textContent = t('merge.vocabulary', { n: pieces.length });
    byId('merge-vocabulary', HTMLParagraphElement).replaceChildren(...pieces.flatMap((piece) =>
      [h('span', { class: piece === made ? 'vocabulary-piece new' : 'vocabulary-piece', dir: 'auto' }, piece), ' ']));
  }

  function renderPairs(): void {
    const pairs = merging?.pairs(step()) ?? [];
    const most = pairs[0]?.count ?? 1;
    const isEnd = step() === last();
    byId('merge-pairs', HTMLTableSectionElement).replaceChildren(...pairs.slice(0, PAIRS_SHOWN).map(({ left, right, count }, i) => {
      const bar = h('span', { class: 'bar-fill' });
      bar.style.setProperty('--share', String(count / most));
      const isNext = i === 0 && !isEnd;
      return h('tr', { class: isNext && 'chosen' },
        h('th', { scope: 'row' }, h('bdi', {}, left), ' + ', h('bdi', {}, right), isNext && h('span', { class: 'hint' }, t('merge.next'))),
        h('td', { class: 'number' }, t('merge.count', { n: count })),
        h('td', { class: 'part-bar', 'aria-hidden': 'true' }, h('span', { class: 'bar-track' }, bar)));
    }));
    const more = pairs.length - PAIRS_SHOWN;
    const rest = more > 0 ? t('tokenize.more', { n: more }) : '';
    byId('merge-more', HTMLParagraphElement).textContent = pairs.length === 0 ? t('merge.noPairs') : rest;
  }

  function goTo(wantedStep: number): void {
    slider.value = String(wantedStep);
    render();
    announce(describe());
    updateUrl();
  }

  function takeFromLink(): void {
    if (!wanted) return;
    const { step: value, refuse } = wanted;
    wanted = null;
    slider.value = /^\d{1,6}$/.test(value) ? value : '0';
    if (slider.value !== value) refuse(slider.value);
  }

  async function learn(): Promise<void> {
    running?.abort();
    const { signal } = running = new AbortController();
    try {
      const learnt = text.value.trim() === '' ? null : await learnMerges(text.value, signal);
      signal.throwIfAborted();
      merging = learnt;
      notices.clear();
    } catch (error) {
      if (isAborted(error)) return;
      merging = null;
      notices.show(() => t('merge.failed'), error);
    }
    slider.max = String(last());
    takeFromLink();
    render();
  }

  const typed = debounce(learn, PAUSE_MS);
  function changeText(value: string): void {
    text.value = value;
    slider.value = '0';
    wanted = null;
    updateUrl();
    typed();
  }
  text.addEventListener('input', () => changeText(text.value));
  slider.addEventListener('input', () => {
    render();
    updateUrl();
  });
  back.addEventListener('click', () => goTo(step() - 1));
  next.addEventListener('click', () => goTo(step() + 1));
  fillExamples(byId('merge-examples', HTMLDivElement), EXAMPLES, changeText, '');
  text.value = EXAMPLES[0];
  onLanguage(render);
  void learn();
  return {
    read(parameters, refuse) {
      text.value = parameters.get('words') ?? EXAMPLES[0];
      const value = parameters.get('step') ?? '0';
      wanted = { step: value, refuse: (used) => refuse('step', value, used) };
      void learn();
    },
    write(parameters) {
      if (text.value !== EXAMPLES[0]) parameters.set('words', text.value);
      if (step() > 0) parameters.set('step', slider.value);
    },
  };
}
