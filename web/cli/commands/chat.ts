// webformer chat: one conversation, a message a line.
import { createInterface } from 'node:readline/promises';
import type { ChatMessage, GenerateOptions, Model } from '../../index.js';
import { defineCommand } from '../arguments.js';
import { SAMPLING_OPTIONS, samplingOptions, writeAnswer } from '../generating.js';
import { MODEL_OPTIONS, withModel } from '../models.js';
import { inputLines, isTyped } from '../texts.js';

/** What is typed at a prompt; ends with Ctrl-D, and with Ctrl-C as the signal tells. */
async function* typedLines(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const editor = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' });
  editor.on('SIGINT', () => process.kill(process.pid, 'SIGINT')); // on a terminal in raw mode Ctrl-C is a key
  const end = (): void => editor.close();
  signal.addEventListener('abort', end);
  try {
    editor.prompt();
    for await (const line of editor) {
      if (line.trim() !== '') yield line;
      editor.prompt();
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', end);
    editor.close();
  }
}

async function* messagesOf(names: readonly string[], signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  if (names.length > 0) yield* names;
  else if (isTyped()) yield* typedLines(signal);
  else yield* inputLines(signal);
}

async function converse(
  model: Model,
  system: string | undefined,
  texts: AsyncIterable<string>,
  json: boolean | undefined,
  options: GenerateOptions & { signal: AbortSignal },
): Promise<void> {
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
  for await (const content of texts) {
    messages.push({ role: 'user', content });
    const answer = await writeAnswer(model.chat(messages, options), json, options.signal, { input: content });
    messages.push({ role: 'assistant', content: answer });
  }
}

export const chat = defineCommand({
  name: 'chat',
  summary: 'Talks with a model that has a chat template',
  usage: 'MODEL [MESSAGE]...',
  least: 1,
  options: { system: { kind: 'text', help: 'what the model is told before the conversation' }, ...SAMPLING_OPTIONS, ...MODEL_OPTIONS },
  about: 'All messages are of one conversation: each is answered with those before it in mind.',
  examples: [
    'webformer chat hf:HuggingFaceTB/SmolLM2-135M-Instruct',
    "webformer chat model.gguf --system 'Answer in one sentence.' 'Why is the sky blue?'",
    'webformer chat model.gguf --json < questions.txt',
  ],
  run: ([source, ...names], values, signal) => {
    const options = { ...samplingOptions(values), signal };
    return withModel(source!, values, signal, (model) => converse(model, values.system, messagesOf(names, signal), values.json, options));
  },
});
