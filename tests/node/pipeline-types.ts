// What the types of webformer/pipeline say of results: the lint compiles this, and it never runs.
import type { ChatMessage, LabelScore } from 'webformer';
import { TextStreamer, pipeline, type FillMaskResult, type GroupResult, type TokenResult, type ZeroShotResult } from 'webformer/pipeline';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles where the value has exactly this type. */
const is = <T>() => <V>(_value: V, _same: Same<V, T>): void => undefined;

export async function types(label: string, strategy: 'none' | 'simple', count: number): Promise<void> {
  const classifier = await pipeline('sentiment-analysis', 'model/');
  is<LabelScore[]>()(await classifier(label), true);
  is<LabelScore[]>()(await classifier([label]), true);
  is<LabelScore[][]>()(await classifier([label], { top_k: null }), true);
  is<LabelScore[]>()(await classifier(label, { top_k: 3 }), true);
  is<LabelScore[] | LabelScore[][]>()(await classifier([label], { top_k: count }), true);
  // @ts-expect-error: no such option
  await classifier(label, { topK: 1 });

  const recognizer = await pipeline('ner', 'model/');
  is<TokenResult[]>()(await recognizer(label), true);
  is<GroupResult[][]>()(await recognizer([label], { aggregation_strategy: 'simple' }), true);
  is<(TokenResult | GroupResult)[]>()(await recognizer(label, { aggregation_strategy: strategy }), true);

  const answerer = await pipeline('question-answering', 'model/');
  is<string>()((await answerer(label, label)).answer, true);
  is<number>()((await answerer([label], [label], { top_k: 2 }))[0]![1]!.start, true);
  // @ts-expect-error: a context for each question
  await answerer([label], label);

  is<FillMaskResult[]>()(await (await pipeline('fill-mask', 'model/'))(label), true);
  is<ZeroShotResult[]>()(await (await pipeline('zero-shot-classification', 'model/'))([label], [label]), true);
  is<number[]>()((await (await pipeline('feature-extraction', 'model/'))(label)).dims, true);
  is<{ translation_text: string }[]>()(await (await pipeline('translation_en_to_fr', 'model/'))(label, { tgt_lang: 'fr' }), true);

  const generator = await pipeline('text-generation', 'model/', { dtype: 'q4', device: 'webgpu' });
  const streamer = new TextStreamer(generator.tokenizer, { skip_prompt: true });
  is<{ generated_text: string }[]>()(await generator(label, { streamer, max_new_tokens: count }), true);
  is<{ generated_text: string }[][]>()(await generator([label]), true);
  is<{ generated_text: ChatMessage[] }[]>()(await generator([{ role: 'user', content: label }]), true);
  is<{ generated_text: ChatMessage[] }[][]>()(await generator([[{ role: 'user', content: label }]]), true);
  // @ts-expect-error: a task of images
  await pipeline('image-to-text', 'model/');
}
