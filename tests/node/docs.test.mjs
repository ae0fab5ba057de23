// The pages of docs/ show files that tests run, as they are.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '../..'), DOCS = path.join(ROOT, 'docs'), PROJECTS = path.join(ROOT, 'tests/bundlers');

const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md'));
const projects = readdirSync(PROJECTS, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);

test('each project of tests/bundlers has a page', () => assert.deepEqual(pages, projects.map((name) => `${name}.md`)));

for (const page of pages)
  test(`docs/${page} shows the files of its project, all of them and nothing else`, () => {
    const text = readFileSync(path.join(DOCS, page), 'utf8'), project = path.join(PROJECTS, path.basename(page, '.md'));
    const shown = [...text.matchAll(/^\[`([^`]+)`\]\(([^)]+)\):\n\n```\w+\n([^]*?)```$/gm)];
    for (const [, name, link, code] of shown) {
      assert.equal(path.resolve(DOCS, link), path.join(project, name));
      assert.equal(code, readFileSync(path.join(project, name), 'utf8'), name);
    }
    const files = readdirSync(project, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .map((entry) => path.relative(project, path.join(entry.parentPath, entry.name))).filter((name) => name !== 'package.json');
    assert.deepEqual(shown.map(([, name]) => name).sort(), files.sort());
    const blocks = [...text.matchAll(/^```(\w+)\n/gm)].map(([, language]) => language).filter((language) => language !== 'sh');
    assert.equal(blocks.length, shown.length);
  });

test('links from one page to another lead somewhere', () => {
  const sources = [...pages.map((name) => path.join(DOCS, name)), path.join(ROOT, 'README.md'), path.join(ROOT, 'CONTRIBUTING.md')];
  for (const source of sources)
    for (const [, link] of readFileSync(source, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      assert.ok(existsSync(path.resolve(path.dirname(source), link)), `${path.basename(source)}: ${link}`);
});
