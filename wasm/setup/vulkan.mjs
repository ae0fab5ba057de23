// What the npm package `webgpu` needs of the system for WebGPU in node: Vulkan's loader. Its driver is Chromium's SwiftShader.
import { isStamped, stamp } from './steps.mjs';
import { SetupError, hasApt, installPackages, outputOf } from './system.mjs';

const NAME = 'libvulkan.so.1';

const hasLoader = () => (outputOf('ldconfig', ['-p']) ?? outputOf('/sbin/ldconfig', ['-p']) ?? '').includes(NAME);
const canInstall = () => hasApt() && process.getuid?.() === 0;

/**
 * Without it the tests of WebGPU in node are skipped, and counted as such: no condition for the rest.
 * @type {import('./steps.mjs').Step}
 */
export const vulkanStep = {
  title: "Vulkan's loader for WebGPU in node",
  ready: () => !canInstall() || isStamped('vulkan') || hasLoader(),
  help: 'Install libvulkan1.',
  async run(report) {
    try {
      await installPackages(['libvulkan1'], report);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      report(`not installed (${error.message.split('\n')[0]}): the tests of WebGPU in node will be skipped`);
    }
    stamp('vulkan');
  },
};
