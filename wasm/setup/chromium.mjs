// The Chromium that the browser tests run in.
import { existsSync } from 'node:fs';
import { findProgram, installPackages } from './system.mjs';

const MAC = ['/Applications/Chromium.app/Contents/MacOS/Chromium', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** The program: $CHROMIUM, else a Chromium or Chrome that is installed, or null. */
export function chromiumPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') ?? MAC.find(existsSync) ?? null;
}

/** @type {import('./steps.mjs').Step} */
export const chromiumStep = {
  title: 'Chromium for the browser tests',
  ready: () => chromiumPath() !== null && existsSync(chromiumPath()),
  help: 'Install Chromium or Chrome, or name one in the variable CHROMIUM, then run the command again.',
  run: (report) => installPackages(['chromium'], report),
};
