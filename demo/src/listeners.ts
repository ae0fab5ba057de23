/** Who wants to know of a change. */
export interface Listeners<T> { add(listener: (value: T) => void): void; call(value: T): void }

export function listeners<T>(): Listeners<T> {
  const all: ((value: T) => void)[] = [];
  return {
    add: (listener) => { all.push(listener); },
    call: (value) => { for (const listener of all) listener(value); },
  };
}
