// The packed package in fresh projects of bundlers that are quick; tests/bundlers has the others.
import { testBundled } from '../bundlers/projects.mjs';

testBundled([
  { name: 'vite', script: 'main.js', site: 'dist' },
  { name: 'rollup', script: 'main.js', site: '.' },
  { name: 'esbuild', script: 'main.js', site: '.' },
]);
