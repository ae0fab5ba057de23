// Curves, drawn by uPlot; the cursor follows the pointer or the arrow keys, and what it points at is told in words.
import uPlot from 'uplot';
import { h } from '../dom';
import { figure } from '../format';
import { svg } from '../svg';
import { onTheme } from '../theme';
import { say } from './messages';

/** Each has a colour and a dash of its own, so that no one has to tell them by colour. Null: there is no value. */
export interface Curve { readonly name: string; readonly values: ArrayLike<number | null> }
export interface Curves { readonly x: ArrayLike<number>; readonly curves: readonly Curve[] }

export interface PlotOptions {
  readonly label: () => string;
  readonly xName: () => string;
  readonly yName: () => string;
  readonly logX?: boolean;
  readonly logY?: boolean;
  readonly xDigits?: number;
  readonly digits?: number;
  /** What is told follows the newest value, until the reader points at another. */
  readonly follows?: boolean;
}

export interface Plot { readonly element: HTMLElement; show(data: Curves): void }

const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 2]];
const HEIGHT = 260;

/** What a class of the page's styles is coloured with now. */
function colorOf(place: HTMLElement, name: string): string {
  const probe = h('span', { class: name });
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A piece of the curve as it is drawn. */
const keyOf = (i: number): SVGElement => svg('svg', { viewBox: '0 0 36 4', class: `plot-key plot-tone-${i}`, 'aria-hidden': 'true' },
  svg('line', { x1: 0, x2: 36, y1: 2, y2: 2, 'stroke-dasharray': DASHES[i % DASHES.length].join(' ') || 'none' }));

export function createPlot(options: PlotOptions): Plot {
  const canvas = h('div', { class: 'plot-canvas' });
  const frame = h('div', { class: 'plot', role: 'group', tabindex: 0 }, canvas);
  const legend = h('ul', { class: 'plot-legend' });
  const about = h('p', { class: 'value-about', role: 'status' });
  let plot: uPlot | null = null;
  let shown: Curves | null = null;
  let at = 0;
  let drawnAs = '';

  /** Another name, of a curve or an axis, needs another drawing; other numbers do not. */
  const nameOfAll = (curves: string) => [options.xName(), options.yName(), curves].join('\n');
  const alignedOf = ({ x, curves }: Curves) => [Array.from(x), ...curves.map(({ values }) => Array.from(values))] as uPlot.AlignedData;

  const told = (value: number | null | undefined, digits: number) => {
    if (value === null || value === undefined) return '–';
    const isFar = Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 10 ** -digits);
    return isFar ? value.toExponential(2).replaceAll('-', '−') : figure(value, digits);
  };
  function tell(): void {
    if (!shown || shown.x.length === 0) return void (about.textContent = '');
    at = Math.min(Math.max(at, 0), shown.x.length - 1);
    const values = shown.curves.map(({ name, values: all }) => `${name} ${told(all[at], options.digits ?? 3)}`);
    const x = told(shown.x[at], options.xDigits ?? 0);
    about.textContent = say('plot.told', { x, name: options.xName(), values: values.join(' · ') });
  }

  function draw(): void {
    plot?.destroy();
    plot = null;
    if (!shown || canvas.clientWidth === 0) return;
    const axis = { stroke: colorOf(canvas, 'plot-muted'), font: '12px sans-serif', labelFont: '12px sans-serif' };
    const line = { stroke: colorOf(canvas, 'plot-line'), width: 1 };
    plot = new uPlot({
      width: canvas.clientWidth, height: HEIGHT, legend: { show: false },
      cursor: { drag: { setScale: false }, points: { show: true } },
      scales: { x: { time: false, distr: options.logX ? 3 : 1, log: 2 }, y: { distr: options.logY ? 3 : 1, log: 10 } },
      axes: [
        { ...axis, label: options.xName(), grid: line, ticks: line, labelSize: 22 },
        { ...axis, label: options.yName(), grid: line, ticks: line, labelSize: 22, size: 58 },
      ],
      series: [{}, ...shown.curves.map(({ name }, i) => ({
        label: name, stroke: colorOf(canvas, `plot-tone-${i}`), width: 2, dash: DASHES[i % DASHES.length], points: { show: false },
      }))],
      hooks: { setCursor: [({ cursor: { idx } }) => {
        if (idx === null || idx === undefined || idx === at) return;
        at = idx;
        tell();
      }] },
    }, alignedOf(shown), canvas);
  }

  frame.addEventListener('keydown', (event) => {
    if (!shown || !plot || event.altKey || event.ctrlKey || event.metaKey) return;
    const moves: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: shown.x.length - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    at = Math.min(Math.max(next, 0), shown.x.length - 1);
    plot.setCursor({ left: plot.valToPos(shown.x[at], 'x'), top: 0 });
    tell();
  });
  onTheme(draw);
  new ResizeObserver(() => {
    if (plot && canvas.clientWidth > 0) plot.setSize({ width: canvas.clientWidth, height: HEIGHT });
    else draw();
  }).observe(canvas);

  return {
    element: h('div', { class: 'plot-part' }, legend, frame, about),
    show(data) {
      const names = data.curves.map(({ name }) => name).join();
      const isSame = plot !== null && drawnAs === nameOfAll(names);
      shown = data;
      if (options.follows) at = data.x.length - 1;
      frame.ariaLabel = options.label();
      if (isSame) {
        plot!.setData(alignedOf(data));
        return tell();
      }
      drawnAs = nameOfAll(names);
      legend.replaceChildren(...data.curves.map(({ name }, i) => h('li', {}, keyOf(i), name)));
      draw();
      tell();
    },
  };
}
