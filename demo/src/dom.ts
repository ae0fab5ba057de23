// The few helpers that the page is built with.

/** The element of that id; the page is broken without it. */
export function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`#${id} is not a ${type.name}`);
  return element;
}

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

/** An element: functions become listeners, `false`, null and undefined leave an attribute out, children that are no node are skipped. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child): child is Node | string => typeof child === 'object' ? child !== null : Boolean(child)));
  return element;
}

/** Says it to screen readers, without moving the focus. */
export function announce(text: string): void {
  byId('announcer', HTMLDivElement).textContent = text;
}

/** Calls `work` once the calls of it have paused for `milliseconds`. */
export function debounce(work: () => void, milliseconds: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
}

/** Calls `work` once before the next frame, however often it is asked for until then. */
export function perFrame(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/** Chips that put an example into the page. */
export function fillExamples(list: HTMLElement, examples: readonly string[], use: (example: string) => void, language: string): void {
  list.replaceChildren(...examples.map((example) =>
    h('button', { type: 'button', class: 'chip', lang: language, dir: 'auto', title: example, click: () => use(example) }, example)));
}
