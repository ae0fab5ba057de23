// What this machine and browser offer, as the library reports it, and why no faster path was chosen.
import type { Capabilities } from 'webformer';
import { byId, h } from './dom';
import * as format from './format';
import { t } from './i18n';
import { bytesInMemory } from './models';

/** `remark`: the library's own sentence. */
interface Fact { name: string; value: string; remark?: string }

/** What the browser keeps of models and of this page. Undefined: it does not tell. */
export async function bytesKept(): Promise<number | undefined> {
  const estimate = await navigator.storage?.estimate?.().catch(() => undefined);
  return estimate?.usage;
}

function factsOf({ build, threads, webgpu, crossOriginIsolated, maxMemory, version }: Capabilities, kept: number | undefined): Fact[] {
  const gpu = webgpu.available ? webgpu.adapter || t('machine.yes') : t('machine.no');
  return [
    { name: t('status.build'), value: t(`build.${build}`) },
    { name: t('status.threads'), value: t('machine.threads', { n: threads, cores: navigator.hardwareConcurrency }) },
    { name: 'WebGPU', value: gpu, remark: webgpu.reason },
    { name: t('machine.isolated'), value: t(crossOriginIsolated ? 'machine.yes' : 'machine.no') },
    { name: t('status.memory'), value: format.bytes(bytesInMemory()) },
    { name: t('machine.maxMemory'), value: format.bytes(maxMemory) },
    { name: t('machine.kept'), value: kept === undefined ? '–' : format.bytes(kept) },
    { name: t('status.version'), value: version },
  ];
}

export function showFacts(capabilities: Capabilities, kept: number | undefined): void {
  byId('machine-facts', HTMLDListElement).replaceChildren(...factsOf(capabilities, kept).map(({ name, value, remark }) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value, remark && h('span', { class: 'hint', lang: 'en' }, remark)))));
  byId('machine-reasons', HTMLUListElement).replaceChildren(...capabilities.reasons.map((reason) => h('li', {}, reason)));
}
