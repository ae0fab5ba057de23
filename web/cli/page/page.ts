// The page of `webformer serve MODEL`: one model, a text, and what the model makes of it.
import { loadModel, type Model, type ModelInfo } from '../../index.js';

interface PageTask {
  title: string;
  fits(info: ModelInfo): boolean;
  run(model: Model, text: string, signal: AbortSignal): AsyncIterable<{ text: string }>;
}

async function* tokensOf({ tokenizer }: Model, text: string): AsyncGenerator<{ text: string }, void, undefined> {
  const { ids, tokens } = tokenizer!.encode(text);
  for (const [i, token] of tokens.entries()) yield { text: `${ids[i]}\t${token}\n` };
}

const TASKS: readonly PageTask[] = [
  {
    title: 'Translate',
    fits: ({ tasks }) => tasks.includes('translation'),
    run: (model, text, signal) => model.translate(text, { signal }),
  },
  {
    title: 'Generate',
    fits: ({ kind }) => kind !== 'encoder',
    run: (model, text, signal) => model.generate(text, { signal, maxNewTokens: 100 }),
  },
  { title: 'Tokenize', fits: () => true, run: tokensOf },
];

function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id} is missing`);
  return found;
}

const status = byId('status', HTMLElement);
const form = byId('form', HTMLFormElement);
const choice = byId('task', HTMLSelectElement);
const input = byId('text', HTMLTextAreaElement);
const runButton = byId('run', HTMLButtonElement);
const stopButton = byId('stop', HTMLButtonElement);
const answer = byId('answer', HTMLOutputElement);

function say(text: string, isError = false): void {
  status.textContent = text;
  status.classList.toggle('error', isError);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function load(): Promise<Model> {
  const source = new URLSearchParams(location.search).get('model');
  if (!source) throw new Error('The address names no model: it ends in ?model= and a path, an address or hf:org/name.');
  const name = source.split(/[/:]/).filter(Boolean).at(-1)!;
  byId('name', HTMLHeadingElement).textContent = name;
  document.title = `${name} · webformer`;
  const progress = byId('progress', HTMLProgressElement);
  try {
    return await loadModel(source, {
      onProgress: ({ fraction }) => {
        if (fraction !== undefined) progress.value = fraction;
      },
    });
  } finally {
    progress.hidden = true;
  }
}

async function run(model: Model, task: PageTask): Promise<void> {
  const controller = new AbortController();
  stopButton.onclick = () => controller.abort();
  runButton.disabled = true;
  stopButton.disabled = false;
  answer.textContent = '';
  say('Working…');
  try {
    for await (const { text } of task.run(model, input.value, controller.signal)) answer.append(text);
    say('Done.');
  } catch (error) {
    if (controller.signal.aborted) say('Stopped.');
    else say(messageOf(error), true);
  } finally {
    runButton.disabled = false;
    stopButton.disabled = true;
  }
}

async function start(): Promise<void> {
  const model = await load();
  const { modelType, parameters, dtype } = model.info;
  say(`${modelType}, ${parameters.toLocaleString('en')} parameters, ${dtype}`);
  const fitting = TASKS.filter((task) => model.tokenizer && task.fits(model.info));
  if (fitting.length === 0) return say('This model has no tokenizer, so that it takes no texts.', true);
  choice.replaceChildren(...fitting.map(({ title }) => new Option(title)));
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(model, fitting[choice.selectedIndex]!);
  });
}

start().catch((error: unknown) => say(messageOf(error), true));
