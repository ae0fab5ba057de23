// The memory of a Chromium's pages, as Linux counts it.
import { readFileSync } from 'node:fs';

export const CAN_MEASURE = process.platform === 'linux';

/** Bytes in memory of all processes of `browser` that render pages, once what can be collected there is. */
export async function rendererMemory(browser, page) {
  const ofPage = await page.context().newCDPSession(page);
  await ofPage.send('HeapProfiler.collectGarbage');
  await ofPage.detach();
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  await devtools.detach();
  return processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]) * 1024)
    .reduce((sum, bytes) => sum + bytes, 0);
}
