import { randomInt } from 'node:crypto';
import { accessSync, constants, realpathSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createOwnerOutbound, probeSandbox, spawnSandboxed } from '@berth/agent-core';
import { type CdpConnection, createCdpConnection } from './cdp-connection.ts';

/** Chromium's programs, the smallest first, by the names that distributions give them. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const FOLDERS = ['/usr/bin', '/usr/local/bin'];
/** Folders that Chromium and its start scripts read besides programs. */
const READABLE = ['/etc/fonts', '/etc/chromium', '/etc/chromium.d', '/var/cache/fontconfig'];
/** The sandbox has no network, so Chromium's own sandbox, which needs rights that it takes away, is not needed. */
const SWITCHES = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--mute-audio'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions'],
  // All frames of a page are in its own process, so that one session sees the requests of all of them.
  ...['--disable-features=IsolateOrigins,site-per-process,ServiceWorker', '--disable-site-isolation-trials'],
  // In the sandbox's memory: nothing of what a page stores outlives the browser.
  ...[
    '--user-data-dir=/tmp/profile',
    '--disk-cache-size=33554432',
    '--remote-debugging-pipe',
    '--window-size=1280,800',
    'about:blank',
  ],
];
/** Processor time of each of its processes, in seconds. */
const CPU_SECONDS = 600;
/** Ids that no account of the system has; the same range as for other programs in sandboxes. */
const [FIRST_USER, LAST_USER] = [1_000_000, 2_000_000];

/** Returns the path of Chromium; undefined when it isn't installed. */
export function findChromium(): string | undefined {
  const places = PROGRAMS.flatMap((name) => FOLDERS.map((folder) => path.join(folder, name)));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts Chromium in the command sandbox: without network, and without any file but its own. @throws Error saying why it can't. */
export async function openChromium(executable: string): Promise<CdpConnection> {
  const userId = process.getuid?.() === 0 ? randomInt(FIRST_USER, LAST_USER + 1) : undefined;
  const probe = await probeSandbox(userId);
  if ('problem' in probe) throw new Error(probe.problem);
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-browser-'));
  if (userId !== undefined) await chown(folder, userId, userId);
  const command = `exec '${executable.replaceAll("'", `'\\''`)}' ${SWITCHES.join(' ')}`;
  const readable = [...READABLE, path.dirname(realpathSync(executable))];
  const child = spawnSandboxed({ command, folder, ...probe, cpuSeconds: CPU_SECONDS, readable, userId }, 2);
  const [, , , input, output] = child.stdio as unknown as readonly [null, Readable, Readable, Writable, Readable];
  const { connection, receive, closed } = createCdpConnection({
    send: (message) => void input.write(`${message}\0`),
    close: () => void child.kill('SIGKILL'),
  });
  // Chromium's own log is not read; the pipes must not fill up.
  child.stdout?.resume();
  child.stderr?.resume();
  input.on('error', closed);
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (rest + chunk).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) receive(message);
  });
  child.on('error', closed);
  child.on('close', closed);
  // An idle browser does not keep the agent's process, and ends with it.
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
  try {
    await connection.send('Browser.getVersion');
  } finally {
    // The sandbox has its workspace by now, which stays empty and needs no name.
    await rm(folder, { recursive: true, force: true });
  }
  return connection;
}

const LIMITS = { timeoutMs: 20_000, maxBytes: 100_000, maxRedirects: 0 };

/** Connects to a browser elsewhere. @param endpoint `ws://…`, or `http://…`, whose `/json/version` names the former. */
export async function connectChromium(endpoint: string): Promise<CdpConnection> {
  const address = endpoint.startsWith('http') ? await findSocket(endpoint) : endpoint;
  const socket = new WebSocket(address);
  const opening = Promise.withResolvers<void>();
  const { connection, receive, closed } = createCdpConnection({
    send: (message) => socket.send(message),
    close: () => socket.close(),
  });
  socket.addEventListener('message', ({ data }) => receive(String(data)));
  socket.addEventListener('open', () => opening.resolve());
  socket.addEventListener('error', () => opening.reject(new Error(`${new URL(endpoint).host} can't be reached`)));
  socket.addEventListener('close', closed);
  await opening.promise;
  return connection;
}

async function findSocket(endpoint: string): Promise<string> {
  const outbound = createOwnerOutbound();
  try {
    const { body } = await outbound.fetch({ url: new URL('/json/version', endpoint).href, ...LIMITS });
    const { webSocketDebuggerUrl } = JSON.parse(body.toString('utf8')) as { readonly webSocketDebuggerUrl: string };
    const url = new URL(webSocketDebuggerUrl);
    // A browser behind a forwarded port names the address that it has for itself.
    url.host = new URL(endpoint).host;
    return url.href;
  } finally {
    outbound.close();
  }
}
