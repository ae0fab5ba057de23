// The engine: one WebAssembly instance with one model in it, on whatever thread it lives.
import { TransformerError } from '../errors.js';
import { Instance } from '../instance.js';
import type { Engine, LoadedModel, Request, RequestContext, RequestOf, Results } from '../protocol.js';
import { answer } from '../tasks/answer.js';
import { classify } from '../tasks/classify.js';
import { embed } from '../tasks/embed.js';
import { fillMask } from '../tasks/fill-mask.js';
import { nextSentence } from '../tasks/next-sentence.js';
import { tagTokens } from '../tasks/tag-tokens.js';
import type { TextModel } from '../tasks/text-model.js';
import { zeroShot } from '../tasks/zero-shot.js';
import { BoundTokenizer } from '../tokenizer.js';
import { generate } from './generate.js';
import { loadAdapter, mergeAdapter, saveAdapter } from './adapter.js';
import { attachGpu } from './gpu.js';
import { finish } from './jobs.js';
import { createCheckpoint, loadCheckpoint, loadTokenizerFiles, setTokenizers, type Checkpoint } from './load.js';
import { save } from './save.js';
import { textModel } from './text-model.js';
import {
  addTrainingRows, beginTraining, closeTrainingRows, openTraining, trainCheckpoint, trainEvaluate, trainStep,
} from './train.js';

type Handler<K extends Request['kind']> = (request: RequestOf<K>, context: RequestContext) => Promise<Results[K]>;

export class LocalEngine implements Engine {
  #loaded: { instance: Instance; checkpoint: Checkpoint } | null = null;

  readonly #handlers: { [K in Request['kind']]: Handler<K> } = {
    'load-model': async ({ module, source, settings }, context) => {
      const instance = await Instance.of(module);
      return this.#take(instance, await loadCheckpoint(instance, source, settings, context));
    },
    'create-model': async ({ module, config, seed, tokenizer, settings }, { signal }) => {
      const instance = await Instance.of(module);
      const checkpoint = createCheckpoint(instance, config, seed, settings);
      if (tokenizer) {
        const length = instance.stage(tokenizer);
        const bound = new BoundTokenizer(instance, instance.call((entries) => entries.unpackTokenizer(length)));
        setTokenizers(checkpoint, { source: bound, target: bound });
      }
      await attachGpu(instance, checkpoint, settings.device, signal);
      return this.#take(instance, checkpoint);
    },
    'load-tokenizer': async ({ module, source, settings }, context) =>
      (await loadTokenizerFiles(await Instance.of(module), source, settings, context)).source.pack(),
    forward: ({ inputs, options }, context) => {
      const { instance, checkpoint } = this.#model();
      return finish(instance, checkpoint.gpu, instance.call(() => checkpoint.model.forward(inputs, options)), context);
    },
    generate: ({ prompt, settings }, context) => {
      const { instance, checkpoint } = this.#model();
      return generate(instance, checkpoint, prompt, settings, context);
    },
    classify: ({ texts, options }, context) => classify(this.#textModel('classify', context), texts, options),
    'zero-shot': ({ text, labels, options }, context) => zeroShot(this.#textModel('zeroShot', context), text, labels, options),
    'tag-tokens': ({ texts, options }, context) => tagTokens(this.#textModel('tagTokens', context), texts, options),
    answer: ({ question, context: text, options }, context) => answer(this.#textModel('answer', context), question, text, options),
    'fill-mask': ({ text, options }, context) => fillMask(this.#textModel('fillMask', context), text, options),
    'next-sentence': ({ first, second }, context) => nextSentence(this.#textModel('nextSentence', context), first, second),
    embed: ({ texts, options }, context) => embed(this.#textModel('embed', context), this.#model().checkpoint.embed, texts, options),
    'train-open': (request) => openTraining(this.#model().instance, this.#model().checkpoint, request),
    'train-rows': async (request) => addTrainingRows(this.#model().instance, this.#model().checkpoint, request),
    'train-close': async () => closeTrainingRows(this.#model().instance, this.#model().checkpoint),
    'train-begin': async (request) => beginTraining(this.#model().instance, this.#model().checkpoint, request),
    'train-step': (_, context) => trainStep(this.#model().instance, this.#model().checkpoint, context),
    'train-evaluate': (_, context) => trainEvaluate(this.#model().instance, this.#model().checkpoint, context),
    'train-checkpoint': async () => trainCheckpoint(this.#model().instance, this.#model().checkpoint),
    'load-adapter': ({ source }, { signal }) => loadAdapter(this.#model().instance, this.#model().checkpoint, source, signal),
    'merge-adapter': () => mergeAdapter(this.#model().instance, this.#model().checkpoint),
    'save-adapter': () => saveAdapter(this.#model().instance, this.#model().checkpoint),
    save: ({ dtype }, { signal }) => {
      const { instance, checkpoint } = this.#model();
      return save(instance, checkpoint, dtype, signal);
    },
    'add-tokens': async ({ tokens }) => this.#model().checkpoint.tokenizers?.source.addTokens(tokens) ?? 0,
  };

  async run<K extends Request['kind']>(request: RequestOf<K>, context: RequestContext): Promise<Results[K]> {
    return (this.#handlers[request.kind] as unknown as Handler<K>)(request, context);
  }

  /** Forgets the instance, whose memory goes with it. */
  close(): void {
    this.#loaded?.checkpoint.gpu?.close();
    this.#loaded = null;
  }

  #model(): { instance: Instance; checkpoint: Checkpoint } {
    if (!this.#loaded) throw new TransformerError('internal_error', 'a request came before its model');
    return this.#loaded;
  }

  #textModel(owner: string, context: RequestContext): TextModel {
    const { instance, checkpoint } = this.#model();
    return textModel(owner, instance, checkpoint, context);
  }

  #take(instance: Instance, checkpoint: Checkpoint): LoadedModel {
    this.#loaded = { instance, checkpoint };
    const { tokenizers, info } = checkpoint;
    const sameTarget = tokenizers?.source === tokenizers?.target;
    return { info, tokenizer: tokenizers?.source.pack() ?? null, targetTokenizer: sameTarget ? null : tokenizers!.target.pack() };
  }
}
