// The Learn tab: a reading path of steps, each with figures that are computed here, on the reader's own sentence.
import { announce, byId, debounce, fillExamples, h } from '../dom';
import { onLanguage, t } from '../i18n';
import { createNotices } from '../notices';
import { currentTab, onTab } from '../tabs';
import { makeLinkable, updateUrl } from '../url-state';
import type { Lesson } from './lesson';
import { said, say, translate } from './messages';
import { isStep, STEPS, type StepId } from './steps';

const EXAMPLES = ['I love AI', 'The old man has a beautiful garden.', 'Where is the station?'];
const PAUSE_MS = 300;

export function startLearn(): void {
  const place = byId('learn', HTMLElement);
  const text = h('input', {
    type: 'text', id: 'learn-text', dir: 'auto', lang: 'en', autocomplete: 'off', spellcheck: 'false', maxlength: 200, class: 'prose',
  });
  const examples = h('div', { class: 'chips', id: 'learn-examples' });
  const path = h('ol', { class: 'path' });
  const heading = h('h2', { id: 'learn-title', tabindex: -1 });
  const body = h('div', { class: 'lesson-place', 'aria-busy': 'false' });
  const noticePlace = h('div', { class: 'notices', role: 'alert' });
  const notices = createNotices(noticePlace);
  const back = h('a', { class: 'path-turn', rel: 'prev' });
  const next = h('a', { class: 'path-turn', rel: 'next' });
  place.append(
    said('p', 'learn.lead', { class: 'lead' }),
    h('div', { class: 'pane learn-sentence' },
      h('div', { class: 'pane-head' }, said('label', 'learn.sentence', { for: text.id })), text),
    h('div', { class: 'examples', role: 'group', 'data-say-label': 'learn.examples' },
      said('span', 'learn.examples', { class: 'examples-title' }), examples),
    h('div', { class: 'learn-columns' },
      h('nav', { 'data-say-label': 'learn.path', class: 'path-nav' }, path),
      h('article', { 'aria-labelledby': heading.id, class: 'learn-step' },
        heading, noticePlace, body, h('div', { class: 'path-turns' }, back, next))));

  let step: StepId = STEPS[0].id;
  const lessons = new Map<StepId, Lesson>();
  let running: AbortController | null = null;
  const indexOf = (id: StepId) => STEPS.findIndex((one) => one.id === id);
  const nameOf = (id: StepId) => say(`step.${id}`);
  const addressOf = (id: StepId) => `#learn?${new URLSearchParams({ step: id, text: text.value })}`;

  function renderPath(): void {
    path.replaceChildren(...STEPS.map(({ id }) => h('li', {},
      h('a', { href: addressOf(id), 'aria-current': id === step && 'step', click: follow(id) }, nameOf(id)))));
    heading.textContent = `${indexOf(step) + 1}. ${nameOf(step)}`;
    for (const [link, move, key] of [[back, -1, 'learn.back'], [next, 1, 'learn.next']] as const) {
      const other = STEPS[indexOf(step) + move]?.id;
      link.hidden = other === undefined;
      if (!other) continue;
      link.href = addressOf(other);
      link.textContent = say(key, { step: nameOf(other) });
      link.onclick = follow(other);
    }
  }

  function follow(id: StepId): (event: Event) => void {
    return (event) => {
      if (event instanceof MouseEvent && (event.ctrlKey || event.metaKey || event.shiftKey)) return;    // in a tab or window of its own
      event.preventDefault();
      step = id;
      updateUrl();
      heading.scrollIntoView({ block: 'start' });
      heading.focus({ preventScroll: true });
      void show();
    };
  }

  async function lessonAt(id: StepId): Promise<Lesson> {
    let lesson = lessons.get(id);
    if (!lesson) {
      lesson = await STEPS[indexOf(id)].load();
      lessons.set(id, lesson);
    }
    return lesson;
  }

  async function show(): Promise<void> {
    running?.abort();
    renderPath();
    if (currentTab() !== 'learn') return;
    const { signal } = running = new AbortController();
    body.ariaBusy = 'true';
    notices.clear();
    try {
      const lesson = await lessonAt(step);
      signal.throwIfAborted();
      translate(lesson.element);
      if (lesson.element.parentElement !== body) body.replaceChildren(lesson.element);
      await lesson.show(text.value.trim() || EXAMPLES[0], signal);
      signal.throwIfAborted();
      announce(heading.textContent);
    } catch (error) {
      if (signal.aborted) return;
      notices.show(() => say('learn.failed'), error);
    }
    body.ariaBusy = 'false';
  }

  const typed = debounce(show, PAUSE_MS);
  text.addEventListener('input', () => {
    updateUrl();
    typed();
  });
  fillExamples(examples, EXAMPLES, (example) => {
    text.value = example;
    updateUrl();
    void show();
  }, 'en');
  text.value = EXAMPLES[0];
  makeLinkable('learn', {
    read(parameters, refuse) {
      text.value = parameters.get('text') ?? EXAMPLES[0];
      const wanted = parameters.get('step') ?? STEPS[0].id;
      if (isStep(wanted)) step = wanted;
      else {
        step = STEPS[0].id;
        refuse('step', wanted, nameOf(step));
      }
      void show();
    },
    write(parameters) {
      parameters.set('step', step);
      if (text.value !== EXAMPLES[0]) parameters.set('text', text.value);
    },
  });
  onLanguage(() => {
    translate(place);
    path.ariaLabel = t('tab.learn');
    void show();
  });
  onTab((tab) => { if (tab === 'learn') void show(); });
}
