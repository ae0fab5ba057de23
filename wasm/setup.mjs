// Brings what the commands of this repository need: `npm run setup`, or from a script `await setUp('native', 'wasm', 'browser')`.
// What is there already is left alone, so calling it again costs nothing.
import { fileURLToPath } from 'node:url';
import { chromiumStep, koreanFontStep } from './setup/chromium.mjs';
import { emscriptenStep, systemLibrariesStep } from './setup/emscripten.mjs';
import { headersStep, simdjsonStep } from './setup/headers.mjs';
import { nativeStep } from './setup/native.mjs';
import { nodeSteps, relaxedNodeStep } from './setup/nodes.mjs';
import { npmStep } from './setup/npm.mjs';
import { otherBrowserSteps } from './setup/other-browsers.mjs';
import { peersStep } from './setup/peers.mjs';
import { realModelsStep } from './setup/real-models.mjs';
import { runSteps } from './setup/steps.mjs';
import { SetupError } from './setup/system.mjs';
import { vocabulariesStep } from './setup/vocabularies.mjs';
import { vulkanStep } from './setup/vulkan.mjs';

const STEPS = {
  packages: [npmStep],
  native: [npmStep, nativeStep, headersStep, simdjsonStep],
  wasm: [npmStep, nativeStep, headersStep, simdjsonStep, emscriptenStep, systemLibrariesStep],
  'relaxed-node': [relaxedNodeStep],
  nodes: nodeSteps,
  browser: [npmStep, chromiumStep, koreanFontStep],
  'other-browsers': [npmStep, ...otherBrowserSteps],
  webgpu: [npmStep, chromiumStep, vulkanStep],
  vocabularies: [vocabulariesStep],
  peers: [peersStep],
  'real-models': [npmStep, realModelsStep],
};

/** @param {...keyof typeof STEPS} needs what the caller is about to do */
export async function setUp(...needs) {
  try {
    await runSteps([...new Set(needs.flatMap((need) => STEPS[need]))]);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`\n${error.message}\n${error.help ?? ''}`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setUp('native', 'wasm', 'relaxed-node', 'browser', 'webgpu');
  console.log('set-up: complete');
}
