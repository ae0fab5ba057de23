// pipeline(): a task by its name, and the function that does it.
import { loadModel, type Model, type ModelSource, type Task, type Tokenizer } from '../index.js';
import { fillMask, questionAnswering, type FillMask, type QuestionAnswering } from './answers.js';
import type { Context } from './context.js';
import { featureExtraction, type FeatureExtraction } from './features.js';
import {
  summarization, textGeneration, textToTextGeneration, translation, type Summarization, type TextGeneration, type TextToTextGeneration,
  type Translation,
} from './generation.js';
import {
  textClassification, tokenClassification, zeroShotClassification, type TextClassification, type TokenClassification,
  type ZeroShotClassification,
} from './labels.js';
import { loadOptions, nameOf, revised, type PipelineOptions } from './loading.js';
import { inOwnNames, invalid } from './options.js';

/** What each task's function takes and gives. */
export interface Tasks {
  'text-classification': TextClassification;
  'token-classification': TokenClassification;
  'zero-shot-classification': ZeroShotClassification;
  'question-answering': QuestionAnswering;
  'fill-mask': FillMask;
  'feature-extraction': FeatureExtraction;
  'text-generation': TextGeneration;
  'text2text-generation': TextToTextGeneration;
  summarization: Summarization;
  translation: Translation;
}

const TASKS: { readonly [T in keyof Tasks]: (context: Context) => Tasks[T] } = {
  'text-classification': textClassification,
  'token-classification': tokenClassification,
  'zero-shot-classification': zeroShotClassification,
  'question-answering': questionAnswering,
  'fill-mask': fillMask,
  'feature-extraction': featureExtraction,
  'text-generation': textGeneration,
  'text2text-generation': textToTextGeneration,
  summarization,
  translation,
};

const ALIASES = {
  'sentiment-analysis': 'text-classification',
  ner: 'token-classification',
  embeddings: 'feature-extraction',
} as const satisfies Record<string, keyof Tasks>;
type Aliases = typeof ALIASES;

/** transformers.js' tasks that are not about text alone. */
const SENSES: Readonly<Record<string, string>> = {
  sound: 'audio-classification, zero-shot-audio-classification, automatic-speech-recognition, asr, text-to-audio, text-to-speech',
  images:
    'image-to-text, image-classification, image-segmentation, background-removal, zero-shot-image-classification, object-detection, ' +
    'zero-shot-object-detection, document-question-answering, image-to-image, depth-estimation, image-feature-extraction',
};

export type PipelineType = keyof Tasks | keyof Aliases | `translation_${string}_to_${string}`;
export type TaskOf<T extends PipelineType> = T extends keyof Tasks ? T : T extends keyof Aliases ? Aliases[T] : 'translation';

/** Is called with what the task reads. */
export type Pipeline<T extends PipelineType = PipelineType> = Tasks[TaskOf<T>] & {
  readonly task: string;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  /** Gives the memory back. */
  dispose(): Promise<void>;
};

/** `name` is without its alias. */
function kindOf(name: string): keyof Tasks {
  const kind = name.replace(/^(translation)_.+_to_.+$/, '$1');
  if (Object.hasOwn(TASKS, kind)) return kind as keyof Tasks;
  const sense = Object.keys(SENSES).find((key) => SENSES[key]!.split(', ').includes(name));
  const why = sense ? `'${name}' is about ${sense}, and only text is supported` : `unknown task '${name}'`;
  throw invalid(`pipeline: ${why}; there are: ${[...Object.keys(TASKS), ...Object.keys(ALIASES)].join(', ')}, translation_xx_to_yy`, {
    task: name,
  });
}

/** Refuses a model that cannot do the task. Features are what a model has whatever its head; of an encoder-decoder there are two kinds. */
function contextOf(task: string, kind: keyof Tasks & Task, model: Model): Context {
  const { info, tokenizer } = model;
  if (!tokenizer) throw invalid(`pipeline: the model has no tokenizer, which '${task}' needs`);
  const can = kind === 'feature-extraction' ? info.kind !== 'encoder-decoder' : info.tasks.includes(kind);
  if (can) return { task, model, tokenizer };
  throw invalid(`pipeline: ${info.modelType} is not made for ${kind}; its tasks: ${info.tasks.join(', ') || 'none'}`, { task });
}

/**
 * transformers.js' function of this name: loads a model and gives the function that does the task.
 * @param model where it is, as for loadModel
 */
export async function pipeline<T extends PipelineType>(task: T, model: ModelSource, options: PipelineOptions = {}): Promise<Pipeline<T>> {
  const name: string = Object.hasOwn(ALIASES, task) ? ALIASES[task as keyof Aliases] : String(task);
  const kind = kindOf(name);
  if (model === undefined || model === null)
    throw invalid(`pipeline: no model given; '${task}' has no default here: name a folder, a file or 'hf:org/name'`);
  const loaded = await loadModel(revised(model, options), loadOptions(model, options));
  try {
    const context = contextOf(name, kind, loaded);
    options.progress_callback?.({ status: 'ready', task: name, model: nameOf(model) });
    const dispose = async (): Promise<void> => loaded.dispose();
    const work = TASKS[kind](context) as (...given: unknown[]) => Promise<unknown>;
    const named = (...given: unknown[]): Promise<unknown> =>
      work(...given).catch((error: unknown) => {
        throw inOwnNames(error);
      });
    return Object.assign(named, { ...context, dispose }) as Pipeline<T>;
  } catch (error) {
    loaded.dispose();
    throw error;
  }
}
