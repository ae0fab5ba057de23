// The bundlers that take their time, or are of an older version; tests/browser/bundled.test.mjs has the others.
import { testBundled } from './projects.mjs';

testBundled([
  { name: 'vite', script: 'main.js', site: 'dist', versions: { vite: '7.3.8' } },
  { name: 'webpack', script: 'src/index.js', site: '.' },
  { name: 'next', script: 'app/page.js', site: 'out', inlineScripts: true },
]);
