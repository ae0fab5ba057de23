// What the tests of this folder share.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TransformerError, loadModel } from 'webformer';

/** Asserts that a promise, or what a function does, fails with this code, and gives the error. `pattern`: its message. */
export async function rejects(promise, code, pattern = /./) {
  const error = await Promise.resolve(typeof promise === 'function' ? new Promise((resolve) => resolve(promise())) : promise).then(
    () => assert.fail(`no error, ${code} expected`),
    (thrown) => thrown,
  );
  assert.ok(error instanceof TransformerError, `${error?.stack ?? error} is no TransformerError`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, pattern);
  return error;
}

/** The same for what throws at once. */
export function throws(action, code, pattern = /./) {
  let error;
  try {
    action();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof TransformerError, `${error} is no TransformerError`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, pattern);
  return error;
}

/** A model that is disposed when the test ends. */
export async function opened(t, source, options) {
  const model = await loadModel(source, options);
  t.after(() => model.dispose());
  return model;
}

/** An HTTP server that answers by `answer(request, response)`; closed when the test ends. Gives its address, which ends in '/'. */
export async function serve(t, answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

/** Answers with the files of a folder, 404 for others. */
export const fileServer = (files) => (request, response) => {
  const bytes = files.get(decodeURIComponent(request.url.slice(1)));
  if (!bytes) return response.writeHead(404).end('not found');
  return response
    .writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length })
    .end(request.method === 'HEAD' ? undefined : bytes);
};

export function temporaryFolder(t) {
  const folder = mkdtempSync(path.join(tmpdir(), 'webformer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder in memory with some of its files replaced, or left out where they are null. */
export function changed(files, changes) {
  const copy = new Map(files);
  for (const [name, content] of Object.entries(changes)) {
    if (content === null) copy.delete(name);
    else copy.set(name, typeof content === 'string' ? new Uint8Array(Buffer.from(content)) : content);
  }
  return copy;
}

export const range = (count, start = 0) => Array.from({ length: count }, (_, i) => start + i);
