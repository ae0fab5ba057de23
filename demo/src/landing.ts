// Where a model that the user brought is shown first.
import type { Task } from 'webformer';
import type { Item } from './models';
import type { Tab } from './tab-names';

let awaited: Task | null = null;

/** The user is where only models that they bring can do this; null: nowhere. */
export function awaitTask(task: Task | null): void {
  awaited = task;
}

/** Where it is awaited, else where it is for above all; null: no tab can use it. */
export function landingOf({ model, uses }: Item): Tab | null {
  if (awaited && uses.includes('understand') && model?.info.tasks.includes(awaited)) return 'understand';
  return uses[0] ?? null;
}
