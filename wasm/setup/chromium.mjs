// The Chromium that the browser tests run in, and a font for what they write.
import { existsSync } from 'node:fs';
import { isStamped, stamp } from './steps.mjs';
import { SetupError, canInstallPackages, findProgram, installPackages, outputOf } from './system.mjs';

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

const NO_FONT = 'korean-font-not-installable';
const hasKoreanFont = () => Boolean(outputOf('fc-list', [':lang=ko', 'family']));

/**
 * Without it Korean is boxes in screenshots; no test depends on it, so where it cannot be installed the set-up goes on.
 * @type {import('./steps.mjs').Step}
 */
export const koreanFontStep = {
  title: 'a Korean font for screenshots',
  ready: () => hasKoreanFont() || !canInstallPackages() || isStamped(NO_FONT),
  help: 'Install the package fonts-nanum, or another font with Hangul.',
  async run(report) {
    try {
      await installPackages(['fonts-nanum', 'fontconfig'], report);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      report(`not installable, going on without: ${error.message.split('\n').at(-1)}`);
    }
    if (!hasKoreanFont()) stamp(NO_FONT);
  },
};
