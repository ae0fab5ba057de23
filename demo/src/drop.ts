// Files out of a drop or a picker, by their path below the folder that was given.

/** `path`: of the model's folder, or of its file where it lies in none. */
export interface Gathered { path: string; files: Map<string, File> }

/** At most so many files are taken, so that a dropped home folder does no harm. */
const MAX_FILES = 500;
const isHidden = (path: string) => path.split('/').some((part) => part.startsWith('.'));

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const depth = (path: string) => path.split('/').length;
const IS_HEART = /(^|\/)(config\.json|[^/]+\.gguf|tokenizer\.json)$/i;
const IS_WEIGHTS = /\.(gguf|safetensors)$/i;

/** The model's folder is the one nearest the top that holds the heart of one; what lies outside of it, and hidden files, are left out. */
function gathered(files: readonly (readonly [path: string, file: File])[]): Gathered {
  const visible = files.filter(([path]) => !isHidden(path)).toSorted(([a], [b]) => depth(a) - depth(b));
  const heart = (visible.find(([path]) => IS_HEART.test(path)) ?? visible[0])?.[0] ?? '';
  const folder = folderOf(heart);
  const inside = visible.filter(([path]) => path.startsWith(folder)).map(([path, file]) => [path.slice(folder.length), file] as const);
  return { path: folder || (inside.find(([path]) => IS_WEIGHTS.test(path))?.[0] ?? heart), files: new Map(inside) };
}

export function fromPicker(files: FileList): Gathered {
  return gathered(Array.from(files, (file) => [file.webkitRelativePath || file.name, file] as const));
}

const entriesOf = (reader: FileSystemDirectoryReader) =>
  new Promise<FileSystemEntry[]>((resolve, reject) => { reader.readEntries(resolve, reject); });
const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => { entry.file(resolve, reject); });

async function walk(entry: FileSystemEntry, path: string, found: [string, File][]): Promise<void> {
  if (found.length >= MAX_FILES || entry.name.startsWith('.')) return;
  if (entry.isFile) found.push([path + entry.name, await fileOf(entry as FileSystemFileEntry)]);
  if (!entry.isDirectory) return;
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // a reader gives its entries in batches, an empty one at the end
  for (let batch = await entriesOf(reader); batch.length > 0; batch = await entriesOf(reader)) {
    for (const child of batch) await walk(child, `${path}${entry.name}/`, found);
  }
}

/** The files of a drop, folders walked. The event's data is gone after the first await, so the entries are taken before. */
export async function fromDrop(data: DataTransfer): Promise<Gathered> {
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const loose = Array.from(data.files, (file) => [file.name, file] as const);
  if (entries.length === 0) return gathered(loose);
  const found: [string, File][] = [];
  for (const entry of entries) await walk(entry, '', found);
  return gathered(found);
}
