// trainWordVectors: on the calling thread, in short steps.
import { breather } from './engine/breather.js';
import { throwIfAborted } from './errors.js';
import { extendedInstance } from './extra.js';
import type { Instance } from './instance.js';
import type { WasmJob, WasmTrainerStep, WasmWordVectorTrainer } from './module.js';
import { checkChoice, checkCount, checkNumber, checkOptions, checkSignal } from './options.js';
import { piecesInstance } from './pieces-instance.js';
import { checkTexts, feedTexts, type Texts } from './texts.js';
import { RunningTraining } from './train/steps.js';
import type { TrainingRun, TrainingStep, WordVectorOptions, WordVectors } from './types.js';
import { toJson } from './values.js';
import { VectorTable } from './word-vectors.js';

const COUNTS = { dimensions: 1, window: 1, negatives: 0, epochs: 1, minCount: 0, seed: 0 } as const;
const NUMBERS = ['subsample', 'learningRate'] as const;
const STEP_MS = 20;

function check(options: WordVectorOptions): void {
  checkOptions('trainWordVectors', options, ['kind', ...Object.keys(COUNTS), ...NUMBERS, 'signal']);
  checkChoice('kind', options.kind, ['skip-gram', 'cbow']);
  for (const [name, least] of Object.entries(COUNTS)) checkCount(name, options[name as keyof typeof COUNTS], least);
  for (const name of NUMBERS) checkNumber(name, options[name], 0);
  checkSignal('signal', options.signal);
}

/** An instance of its own, whose memory goes with it. */
interface Learner {
  instance: Instance;
  trainer: WasmWordVectorTrainer;
}

async function finish(
  instance: Instance, job: WasmJob<WasmTrainerStep & { words: number }>, breathe: () => Promise<void>,
): Promise<WasmTrainerStep & { words: number }> {
  try {
    for (;;) {
      if (instance.call(() => job.step(STEP_MS)).done) return instance.call(() => job.result());
      await breathe();
    }
  } finally {
    job.delete();
  }
}

async function learn(
  { instance, trainer }: Learner, texts: Texts, emit: (step: TrainingStep) => void, signal: AbortSignal,
): Promise<{ steps: number; loss: number }> {
  await feedTexts(instance, texts, signal, (lengths) => trainer.feed(lengths));
  const total = instance.call(() => trainer.begin());
  const start = performance.now(), breathe = breather(signal);
  let loss = NaN, last = 0;
  while (!trainer.done()) {
    throwIfAborted(signal);
    const before = performance.now();
    const { words, ...step } = await finish(instance, instance.call(() => trainer.step()), breathe);
    const now = performance.now();
    ({ loss, step: last } = step);
    emit({
      ...step, tokensPerSecond: (1000 * words) / Math.max(now - before, 1e-3), remainingMs: ((now - start) / last) * (total - last),
    });
  }
  return { steps: last, loss };
}

class WordVectorRun extends RunningTraining {
  readonly #learner: Promise<Learner>;

  constructor(texts: Texts, options: WordVectorOptions) {
    const { signal, ...settings } = options;
    const learner = extendedInstance().then((instance) =>
      ({ instance, trainer: instance.call((entries) => entries.createWordVectorTrainer(toJson(settings))) }));
    super(
      async (emit, left) => learn(await learner, texts, emit, left), signal,
      async () => {
        const { instance, trainer } = await learner;
        return instance.call(() => trainer.checkpoint());
      },
    );
    this.#learner = learner;
    learner.catch(() => undefined); // a failure is result()'s
  }

  async vectors(): Promise<WordVectors> {
    await this.result();
    const { instance, trainer } = await this.#learner;
    const { words, vectors } = instance.call(() => trainer.vectors());
    return new VectorTable(words, vectors.shape[1]!, vectors.data, await piecesInstance());
  }
}

/**
 * Word2Vec (Mikolov et al. 2013): skip-gram by default, with 100 dimensions, a window of 5, 5 negatives (0: a softmax over all words),
 * 5 epochs, all words (minCount 1), and a learning rate that falls from 0.025 (CBOW: 0.05). Words are runs of letters, digits and
 * underscores, as they are written. In texts of millions of words, frequent ones say less: with a `subsample` of 0.001 they are read less
 * often.
 * @param texts each is on its own: windows do not go on from one to the next
 */
export function trainWordVectors(texts: Texts, options: WordVectorOptions = {}): TrainingRun & { vectors(): Promise<WordVectors> } {
  check(options);
  checkTexts(texts);
  return new WordVectorRun(texts, options);
}
