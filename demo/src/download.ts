import { h } from './dom';

/** Hands `content` to the browser as a file. */
export function download(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h('a', { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
