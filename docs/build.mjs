// `npm run docs`: pages of the API in build/docs, from the comments of web/, with README.md and the pages of this folder.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setUp } from '../wasm/setup.mjs';
import { BUILD, ROOT } from '../wasm/setup/paths.mjs';

const HERE = import.meta.dirname;

await setUp('packages');
const { Application } = await import('typedoc');
const documentation = await Application.bootstrap({
  entryPoints: ['index', 'layers', 'pipeline'].map((name) => path.join(ROOT, 'web', `${name}.ts`)),
  tsconfig: path.join(ROOT, 'web/tsconfig.json'),
  name: 'webformer',
  includeVersion: true,
  readme: path.join(ROOT, 'README.md'),
  projectDocuments: readdirSync(HERE).filter((name) => name.endsWith('.md')).map((name) => path.join(HERE, name)),
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  hideGenerator: true,
  treatWarningsAsErrors: true,
  // The parts of which the types of webformer/pipeline are made are shown within them.
  validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true },
  logLevel: 'Warn',
});
const project = await documentation.convert();
if (project) {
  documentation.validate(project);
  await documentation.generateDocs(project, path.join(BUILD, 'docs'));
}
const failed = !project || documentation.logger.hasErrors() || documentation.logger.hasWarnings();
console.log(failed ? 'The pages of the API have faults.' : `The pages of the API are in ${path.relative(ROOT, path.join(BUILD, 'docs'))}.`);
process.exit(failed ? 1 : 0);
