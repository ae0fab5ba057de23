// Firefox and WebKitGTK, driven by the commands of WebDriver: Firefox takes them by its own protocol Marionette, as from geckodriver.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firefoxPath, webkitPaths } from '../../wasm/setup/other-browsers.mjs';

const START_WITHIN = 60_000;

/** Calls `read` until it gives something; what it throws before the end of its time is no answer yet. */
async function untilThere(what, read) {
  const end = Date.now() + START_WITHIN;
  for (;;) {
    const found = await Promise.resolve().then(read).catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not start in ${START_WITHIN / 1000} s`);
    await sleep(50);
  }
}

/** Starts a program that prints nothing here; gives a function that ends it. */
function start(program, args, env = {}) {
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  process.once('exit', () => child.kill());
  const ended = new Promise((resolve) => child.on('close', resolve).on('error', resolve));
  return async (signal = 'SIGTERM') => {
    child.kill(signal);
    await Promise.race([ended, sleep(5000).then(() => child.kill('SIGKILL'))]);
  };
}

/** Marionette over a socket: messages are `length:JSON`, a command [0, id, name, parameters], its answer [1, id, error, result]. */
function marionette(socket) {
  const waiting = new Map();
  let received = Buffer.alloc(0), last = 0;
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const colon = received.indexOf(':'), end = colon + 1 + Number(received.subarray(0, colon));
      if (colon < 0 || received.length < end) return;
      const message = JSON.parse(received.subarray(colon + 1, end));
      received = received.subarray(end);
      if (!Array.isArray(message)) continue;    // its greeting
      const [, id, error, result] = message, { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(`${error.error}: ${error.message}`));
      else resolve(result?.value === undefined ? result : result.value);
    }
  });
  socket.on('close', () => waiting.forEach(({ reject }) => reject(new Error('Firefox ended'))));
  return (name, parameters = {}) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    const text = JSON.stringify([0, last, `WebDriver:${name}`, parameters]);
    socket.write(`${Buffer.byteLength(text)}:${text}`);
  });
}

async function startFirefox(folder) {
  writeFileSync(path.join(folder, 'user.js'), 'user_pref("marionette.port", 0);\n');
  const end = start(firefoxPath(), ['--headless', '--no-remote', '--marionette', '--profile', folder]);
  let socket;
  const close = async () => {
    socket?.destroy();
    await end();
  };
  try {
    const port = await untilThere('Firefox', () => Number(readFileSync(path.join(folder, 'MarionetteActivePort'), 'utf8')));
    socket = connect(port, '127.0.0.1');
    const command = marionette(socket);
    const { capabilities } = await command('NewSession');
    return { version: capabilities.browserVersion, command, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** WebDriver's commands as HTTP has them, by the names that Marionette gives them. */
const PATHS = {
  Navigate: () => 'url', SetTimeouts: () => 'timeouts', FindElement: () => 'element', ExecuteAsyncScript: () => 'execute/async',
  ElementClick: ({ id }) => `element/${id}/click`, ElementSendKeys: ({ id }) => `element/${id}/value`,
};

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Xvfb chooses a free display, and writes its number to the file descriptor 3. */
async function startDisplay(program) {
  const child = spawn(program, ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve, reject) => {
    child.stdio[3].once('data', (data) => resolve(String(data).trim()));
    process.once('exit', () => child.kill());
    child.on('close', (status) => reject(new Error(`Xvfb ended with status ${status}`)));
    child.on('error', reject);
  });
  return { DISPLAY: `:${number}`, end: () => child.kill() };
}

async function startWebKit(folder) {
  const { driver, display } = webkitPaths();
  const { DISPLAY, end: endDisplay } = await startDisplay(display), port = await freePort();
  const endDriver = start(driver, [`--port=${port}`], {
    DISPLAY, HOME: folder, XDG_RUNTIME_DIR: folder, WEBKIT_DISABLE_COMPOSITING_MODE: '1', LIBGL_ALWAYS_SOFTWARE: '1',
  });
  const ask = async (method, address, body, signal) => {
    const response = await fetch(`http://127.0.0.1:${port}/${address}`, { method, body: body && JSON.stringify(body), signal });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  let session;
  const close = async () => {
    if (session) await ask('DELETE', `session/${session}`, undefined, AbortSignal.timeout(5000)).catch(() => undefined);
    await endDriver();
    endDisplay();
  };
  try {
    await untilThere('WebKitWebDriver', () => ask('GET', 'status'));
    const { sessionId, capabilities } = await ask('POST', 'session', { capabilities: { alwaysMatch: {} } });
    session = sessionId;
    const command = (name, parameters = {}) => ask('POST', `session/${session}/${PATHS[name](parameters)}`, parameters);
    return { version: capabilities.browserVersion, command, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const MISSING = 'its tests are skipped. Install';
export const BROWSERS = [
  { name: 'Firefox', launch: startFirefox, missing: () => !firefoxPath() && `Firefox is missing: ${MISSING} firefox-esr` },
  {
    name: 'WebKitGTK', launch: startWebKit,
    missing: () => Object.values(webkitPaths()).includes(null) && `WebKitGTK is missing: ${MISSING} webkit2gtk-driver and xvfb`,
  },
];

/** Starts a browser of BROWSERS; `close` ends it, and removes what it kept. */
export async function openBrowser({ name, launch }) {
  const folder = mkdtempSync(path.join(tmpdir(), `webformer-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  try {
    const { close, ...browser } = await launch(folder);
    await browser.command('SetTimeouts', { script: 60_000 });
    return { ...browser, close: () => close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}
