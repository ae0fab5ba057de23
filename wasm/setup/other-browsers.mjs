// Firefox, and WebKit as GTK has it, for the tests of other browsers than Chromium.
import { existsSync } from 'node:fs';
import { isStamped, stamp } from './steps.mjs';
import { SetupError, canInstallPackages, findProgram, installPackages } from './system.mjs';

const MAC = '/Applications/Firefox.app/Contents/MacOS/firefox';

/** The program: $FIREFOX, else a Firefox that is installed, or null. */
export const firefoxPath = () =>
  process.env.FIREFOX || (findProgram('firefox-esr', 'firefox') ?? (existsSync(MAC) ? MAC : null));

/** The program that drives WebKitGTK, and the display that its window is drawn on; each is null where it is missing. */
export const webkitPaths = () => ({ driver: findProgram('WebKitWebDriver'), display: findProgram('Xvfb') });

const hasWebKit = () => !Object.values(webkitPaths()).includes(null);

/**
 * Where it cannot be had, its tests are skipped, and say so: no condition for the rest.
 * @returns {import('./steps.mjs').Step}
 */
const browserStep = (title, isThere, packages) => ({
  title,
  ready: () => isThere() || !canInstallPackages() || isStamped(packages[0]),
  help: `Install ${packages.join(' and ')}.`,
  async run(report) {
    try {
      await installPackages(packages, report);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      report(`not installable, its tests will be skipped: ${error.message.split('\n').at(-1)}`);
    }
    if (!isThere()) stamp(packages[0]);
  },
});

export const otherBrowserSteps = [
  browserStep('Firefox', () => firefoxPath() !== null, ['firefox-esr']),
  browserStep('WebKitGTK', hasWebKit, ['webkit2gtk-driver', 'xvfb']),
];
