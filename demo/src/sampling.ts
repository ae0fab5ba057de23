// The controls of how the next token is chosen.
import type { GenerateOptions } from 'webformer';
import { byId } from './dom';
import * as format from './format';
import { onLanguage, t } from './i18n';
import { listeners } from './listeners';
import type { Refuse } from './url-state';

/** The slider's last place stands for "no limit". */
const ALL_TOKENS = 101;
const MAX_SEED = 2 ** 32 - 1;
const SLIDERS = ['temperature', 'top-k', 'top-p', 'length'] as const;
type Slider = typeof SLIDERS[number];

const slider = (name: Slider) => byId(name, HTMLInputElement);
const seed = () => byId('seed', HTMLInputElement);
const changed = listeners<void>();

/** Calls `listener` when the user has moved a control. */
export const onSampling = (listener: () => void): void => changed.add(listener);

function label(name: Slider): string {
  const value = slider(name).valueAsNumber;
  if (name === 'temperature') return value === 0 ? t('generate.greedy') : format.number(value, 2);
  if (name === 'top-k') return value === ALL_TOKENS ? t('generate.all') : format.number(value);
  return name === 'top-p' ? format.number(value, 2) : format.number(value);
}

function render(): void {
  for (const name of SLIDERS) {
    byId(`${name}-value`, HTMLOutputElement).textContent = label(name);
    slider(name).setAttribute('aria-valuetext', label(name));
  }
  const greedy = slider('temperature').valueAsNumber === 0;
  for (const name of ['top-k', 'top-p'] as const) slider(name).disabled = greedy;
  seed().disabled = greedy;
  renderSeedError();
}

/** A disabled field is never wrong: what it says is not used. */
export const isSamplingValid = (): boolean => seed().validity.valid || seed().disabled;

export const focusWrong = (): void => seed().focus();

function renderSeedError(): void {
  const wrong = !isSamplingValid();
  seed().ariaInvalid = String(wrong);
  byId('seed-error', HTMLParagraphElement).textContent = wrong ? t('generate.seed.wrong', { most: MAX_SEED }) : '';
}

export function startSampling(): void {
  for (const name of SLIDERS) slider(name).addEventListener('input', () => changed.call());
  seed().addEventListener('input', () => {
    byId('keep-seed', HTMLInputElement).checked = true;
    changed.call();
  });
  changed.add(render);
  onLanguage(render);
}

/** A seed of its own for each tale, unless the user keeps one. */
export function nextSeed(): void {
  if (byId('keep-seed', HTMLInputElement).checked) return;
  seed().value = String(crypto.getRandomValues(new Uint32Array(1))[0] % 100_000);
  renderSeedError();
}

/** As generate() takes them, where they are valid. */
export function samplingOptions(vocabSize: number): GenerateOptions {
  const temperature = slider('temperature').valueAsNumber;
  if (temperature === 0) return { doSample: false };
  const topK = slider('top-k').valueAsNumber;
  return {
    doSample: true, temperature,
    topK: topK === ALL_TOKENS ? vocabSize : Math.min(topK, vocabSize),
    topP: slider('top-p').valueAsNumber,
    seed: seed().valueAsNumber,
  };
}

export const chosenLength = (): number => slider('length').valueAsNumber;

/** For a link: every control by its name. */
export function writeSampling(parameters: URLSearchParams): void {
  for (const name of SLIDERS) parameters.set(name, slider(name).value);
  if (isSamplingValid()) parameters.set('seed', seed().value);
}

/** A slider brings a number within its bounds, but any other text to its middle. */
function readSlider(name: Slider, value: string, refuse: Refuse): void {
  const wanted = value.trim() === '' ? NaN : Number(value);
  if (Number.isFinite(wanted)) slider(name).value = String(wanted);
  if (slider(name).valueAsNumber !== wanted) refuse(name, value, slider(name).value);
}

/** A link that names a seed keeps it, so that it shows the same tale. */
export function readSampling(parameters: URLSearchParams, refuse: Refuse): void {
  for (const name of SLIDERS) {
    const value = parameters.get(name);
    if (value !== null) readSlider(name, value, refuse);
  }
  const value = parameters.get('seed');
  if (value !== null && /^\d{1,10}$/.test(value) && Number(value) <= MAX_SEED) {
    seed().value = value;
    byId('keep-seed', HTMLInputElement).checked = true;
  } else if (value !== null) refuse('seed', value, seed().value);
  changed.call();
}
