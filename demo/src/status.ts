// The strip at the foot: which build runs, where, how fast, in how much memory.
import { capabilities } from 'webformer';
import { byId } from './dom';
import * as format from './format';
import { onLanguage, t } from './i18n';
import { allItems, bytesInMemory, onShelf, type Item } from './models';
import { onOfflineReady } from './offline';

let tokensPerSecond: number | null = null;
let renderSpeed = () => {};

/** Says how fast `item` made the last text. */
export function reportSpeed(item: Item, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) return;
  tokensPerSecond = item.tokensPerSecond = value;
  renderSpeed();
}

/** The text whose speed was told is gone. */
export function forgetSpeed(): void {
  tokensPerSecond = null;
  renderSpeed();
}

export function startStatus(): void {
  const cell = (name: string) => byId(`status-${name}`, HTMLElement);
  renderSpeed = () => { cell('speed').textContent = tokensPerSecond === null ? '–' : format.speed(tokensPerSecond); };
  const renderModels = () => {
    cell('memory').textContent = format.bytes(bytesInMemory());
    const device = allItems().find((item) => item.model)?.model?.info.device ?? 'wasm';
    cell('device').textContent = t(device === 'webgpu' ? 'device.webgpu' : 'device.wasm');
  };
  let worksOffline = false;
  const renderOffline = () => { cell('offline').textContent = t(worksOffline ? 'offline.ready' : 'offline.no'); };
  onOfflineReady(() => {
    worksOffline = true;
    renderOffline();
  });
  onLanguage(renderOffline);
  onLanguage(renderSpeed);
  onLanguage(renderModels);
  onShelf(renderModels);
  void capabilities().then(({ build, threads, version }) => onLanguage(() => {
    cell('build').textContent = t(`build.${build}`);
    cell('threads').textContent = format.number(threads);
    cell('version').textContent = version;
  }));
}
