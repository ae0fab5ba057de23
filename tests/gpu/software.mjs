// WebGPU without a GPU: Chromium's SwiftShader computes on the CPU. For right numbers, not for speed.
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { outputOf } from '../../wasm/setup/system.mjs';

/** Options of Chromium for WebGPU on SwiftShader, in a headless browser too. */
export const CHROMIUM_OPTIONS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

const DRIVER = 'vk_swiftshader_icd.json';

/** Where SwiftShader is as a driver for Vulkan, or undefined. */
function findDriver() {
  const chromium = chromiumPath();
  const beside = chromium && existsSync(chromium) ? [path.join(path.dirname(realpathSync(chromium)), DRIVER)] : [];
  const installed = outputOf('dpkg', ['-L', 'chromium-common', 'chromium'])?.split('\n').filter((file) => file.endsWith(DRIVER)) ?? [];
  return [...beside, ...installed].find(existsSync);
}

/** Lets this process find SwiftShader, unless it has a driver named. */
export function useSoftwareGpu() {
  const driver = process.env.VK_ICD_FILENAMES ?? findDriver();
  if (driver) process.env.VK_ICD_FILENAMES = driver;
}
