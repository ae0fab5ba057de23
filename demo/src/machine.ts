// The tab of the user's machine: what runs, how fast each loaded model was, and a benchmark.
import { capabilities, type Capabilities } from 'webformer';
import { benchmark, median, WORKS, type Measured, type Work } from './benchmark';
import { startCopyButton } from './copy';
import { announce, byId, debounce, h } from './dom';
import * as format from './format';
import { onLanguage, t } from './i18n';
import { nameOf } from './item-name';
import { bytesKept, showFacts } from './machine-facts';
import { allItems, onShelf } from './models';
import { createNotices } from './notices';
import { reportSpeed } from './status';
import { currentTab, onTab } from './tabs';
import { makeLinkable, updateUrl } from './url-state';

const USUAL_RUNS = '5';
const PAUSE_MS = 150;
/** What makes a text, as the other tabs do. */
const WRITING: ReadonlySet<Work> = new Set(['decode', 'translate']);

const milliseconds = (value: number) => t('machine.ms', { n: format.number(value, value < 10 ? 2 : value < 100 ? 1 : 0) });
const tokensPerSecond = ({ tokens, milliseconds: times }: Measured) => tokens / median(times) * 1000;
const speedOf = (measured: Measured) => format.speed(tokensPerSecond(measured));
const workOf = ({ work, tokens }: Measured) => t(`machine.work.${work}`, { n: tokens });

function resultRow(measured: Measured): HTMLTableRowElement {
  const { item, milliseconds: times } = measured;
  return h('tr', {},
    h('th', { scope: 'row' }, h('bdi', {}, nameOf(item)), h('span', { class: 'models-use' }, workOf(measured))),
    h('td', { class: 'number' }, milliseconds(median(times))),
    h('td', { class: 'number machine-range' }, `${milliseconds(Math.min(...times))} – ${milliseconds(Math.max(...times))}`),
    h('td', { class: 'number' }, speedOf(measured)));
}

/** For a report: one line a result, with what it was measured on. */
function reportOf(measured: readonly Measured[], { build, threads, version, webgpu }: Capabilities): string {
  const runs = measured[0]?.milliseconds.length ?? 0;
  const lines = measured.map((one) => [nameOf(one.item), workOf(one), milliseconds(median(one.milliseconds)), speedOf(one)].join(' | '));
  return [
    `webformer ${version} | ${build} | ${t('machine.threads', { n: threads, cores: navigator.hardwareConcurrency })} | WebGPU: `
      + (webgpu.available ? webgpu.adapter ?? t('machine.yes') : t('machine.no')),
    navigator.userAgent, t('machine.medianOf', { n: runs }), ...lines,
  ].join('\n');
}

function showModels(): void {
  const loaded = allItems().filter(({ model }) => model);
  byId('machine-models', HTMLTableSectionElement).replaceChildren(...loaded.map((item) => {
    const { bytes, dtype, device } = item.model!.info;
    return h('tr', {},
      h('th', { scope: 'row' }, h('bdi', {}, nameOf(item)), h('span', { class: 'models-use' },
        `${t(device === 'webgpu' ? 'device.webgpu' : 'device.wasm')}, ${dtype}`)),
      h('td', { class: 'number' }, format.bytes(bytes)),
      h('td', { class: 'number' }, item.tokensPerSecond === undefined ? t('machine.unused') : format.speed(item.tokensPerSecond)));
  }));
  byId('machine-no-model', HTMLParagraphElement).hidden = loaded.length > 0;
  byId('machine-models-table', HTMLTableElement).hidden = loaded.length === 0;
}

export function startMachine(): void {
  const runs = byId('benchmark-runs', HTMLSelectElement);
  const start = byId('benchmark-run', HTMLButtonElement);
  const stop = byId('benchmark-stop', HTMLButtonElement);
  const copy = byId('benchmark-copy', HTMLButtonElement);
  const progress = byId('benchmark-progress', HTMLProgressElement);
  const table = byId('benchmark-table', HTMLTableElement);
  const notices = createNotices(byId('machine-notices', HTMLDivElement));
  let facts: Capabilities | null = null;
  let kept: number | undefined;
  let measured: readonly Measured[] = [];
  let running: AbortController | null = null;
  let outcome: 'none' | 'done' | 'stopped' = 'none';

  const renderFacts = () => { if (facts) showFacts(facts, kept); };

  async function readFacts(): Promise<void> {
    kept = await bytesKept();
    facts = await capabilities();    // anew each time: the GPU's part is of the model that was loaded last
    renderFacts();
  }

  function renderResults(): void {
    table.hidden = measured.length === 0;
    copy.disabled = measured.length === 0 || running !== null;
    byId('benchmark-outcome', HTMLParagraphElement).textContent = outcome === 'none' ? '' : t(`machine.${outcome}`);
    const rows = measured.toSorted((a, b) => WORKS.indexOf(a.work) - WORKS.indexOf(b.work)).map(resultRow);
    byId('benchmark-results', HTMLTableSectionElement).replaceChildren(...rows);
  }

  function setRunning(controller: AbortController | null): void {
    const focused = document.activeElement === start || document.activeElement === stop;
    running = controller;
    start.disabled = runs.disabled = controller !== null;
    stop.disabled = controller === null;
    progress.classList.toggle('idle', controller === null);
    if (focused) (controller ? stop : start).focus();
  }

  async function run(): Promise<void> {
    const controller = new AbortController();
    setRunning(controller);
    notices.clear();
    [measured, outcome, progress.value] = [[], 'none', 0];
    renderResults();
    try {
      for await (const step of benchmark(Number(runs.value), controller.signal)) {
        measured = step.measured;
        for (const one of measured) if (WRITING.has(one.work)) reportSpeed(one.item, tokensPerSecond(one));
        progress.value = step.done;
        renderResults();
      }
      outcome = 'done';
    } catch (error) {
      outcome = controller.signal.aborted ? 'stopped' : 'none';
      if (!controller.signal.aborted) notices.show(() => t('machine.failed'), error);
    }
    setRunning(null);
    renderResults();
    showModels();
    if (outcome !== 'none') announce(t(`machine.${outcome}`));
  }

  start.addEventListener('click', run);
  stop.addEventListener('click', () => running?.abort());
  runs.addEventListener('change', updateUrl);
  startCopyButton(copy, () => (facts ? reportOf(measured, facts) : ''));
  makeLinkable('machine', {
    read(parameters, refuse) {
      const wanted = runs.value = parameters.get('runs') ?? USUAL_RUNS;
      if (runs.selectedIndex >= 0) return;
      runs.value = USUAL_RUNS;
      refuse('runs', wanted, USUAL_RUNS);
    },
    write: (parameters) => parameters.set('runs', runs.value),
  });
  onLanguage(renderResults);
  onLanguage(showModels);
  const changed = debounce(() => { if (currentTab() === 'machine') void readFacts(); }, PAUSE_MS);
  onLanguage(renderFacts);
  onShelf(() => {
    showModels();
    changed();
  });
  onTab((tab) => {
    if (tab !== 'machine') return;
    showModels();
    void readFacts();
  });
}
