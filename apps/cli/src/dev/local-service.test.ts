import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { createFakeClock } from '@berth/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { type LocalService, startLocalService } from './local-service.ts';

let folder: TemporaryFolder;
const clock = createFakeClock();
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(async () => {
  await folder[Symbol.asyncDispose]();
});

const at = (name: string) => path.join(folder.path, name);
const isThere = (name: string) => expect.poll(() => existsSync(at(name))).toBe(true);
const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    // A process that has ended and that no one waited for is no longer running.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function start(script: string, port = 1, onLine = (_line: string) => {}): LocalService {
  const env = { PATH: process.env['PATH'], GREETING: 'hello' };
  return startLocalService({ argv: ['sh', '-c', script], folder: folder.path, env, port, clock, onLine });
}

test('runs in its folder with its environment, and says how it ended', async () => {
  const ended = await start('echo "$GREETING $HOME" > told; exit 3').ended;
  expect([ended, readFileSync(at('told'), 'utf8')]).toEqual(['exit code 3', 'hello \n']);
});

test('hands over the lines of both streams, also the last one without an end', async () => {
  const lines: string[] = [];
  await start('echo out; echo err >&2; printf last', 1, (line) => lines.push(line)).ended;
  await expect.poll(() => lines.toSorted()).toEqual(['err', 'last', 'out']);
});

test('a program that is not there is an end, not a fault', async () => {
  const missing = startLocalService({
    ...{ argv: ['/nonexistent/program'], folder: folder.path, env: {}, port: 1, clock },
    onLine: () => {},
  });
  expect(await missing.ended).toContain('ENOENT');
  expect(await missing.listens()).toBe(false);
  await missing.stop();
});

describe('stop', () => {
  test('ends all of its processes', async () => {
    const running = start('sleep 60 & echo $! > child.new; mv child.new child; wait');
    await isThere('child');
    const child = Number(readFileSync(at('child'), 'utf8'));
    expect(isRunning(child)).toBe(true);
    await running.stop();
    expect(await running.ended).toBe('SIGTERM');
    // Fails when the signal is sent to the first process alone.
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  test('kills after five seconds what ignores it', async () => {
    const running = start(`trap '' TERM; touch ready; while [ -e ready ]; do sleep 0.02; done`);
    await isThere('ready');
    const stopped = running.stop();
    await clock.elapse(4_999);
    expect(await Promise.race([running.ended, Promise.resolve('runs')])).toBe('runs');
    await clock.elapse(1);
    // Fails when the second signal is another SIGTERM, or there is none.
    expect(await running.ended).toBe('SIGKILL');
    await stopped;
  });

  // Fails when only the first process is waited for: the next start would find the port in use.
  test('waits for the port of a process that takes longer than the one that started it', async () => {
    const port = await findFreePort();
    await folder.write({
      'slow.js': `const { existsSync } = require('node:fs');
        const server = require('node:net').createServer().listen(${port}, 'localhost');
        process.on('SIGTERM', () => setInterval(() => existsSync('go') && process.exit(), 10));
        // Ends with the folder of the test, whatever becomes of the test.
        setInterval(() => existsSync('slow.js') || process.exit(), 500);`,
    });
    const running = start(`${process.execPath} slow.js & wait`, port);
    const isUp = running.listens();
    await expect.poll(() => clock.elapse(50).then(() => Promise.race([isUp, 'waits']))).toBe(true);
    let isStopped = false;
    const stopped = running.stop().then(() => {
      isStopped = true;
    });
    expect(await running.ended).toBe('SIGTERM');
    // The port is asked again and again.
    for (let count = 0; count < 3; count++) {
      await expect.poll(() => clock.pending).toBe(2);
      await clock.elapse(50);
    }
    expect(isStopped).toBe(false);
    await folder.write({ go: '' });
    await expect.poll(() => clock.elapse(50).then(() => isStopped)).toBe(true);
    await stopped;
  });

  test('kills what outlives the process that started it', async () => {
    const running = start(
      `sh -c 'trap "" TERM; echo $$ > child.new; mv child.new child; while [ -e child ]; do sleep 0.02; done' & wait`,
    );
    await isThere('child');
    const child = Number(readFileSync(at('child'), 'utf8'));
    await running.stop();
    expect(isRunning(child)).toBe(true);
    await clock.elapse(5_000);
    // Fails when the SIGKILL is called off because the first process has ended: the other would run for ever.
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  test('of one that has ended does nothing', async () => {
    const ended = start('exit 0');
    await ended.ended;
    await ended.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('listens', () => {
  test('resolves when the port answers', async () => {
    const server = createServer();
    const port = await listen(server);
    const running = start('exec sleep 60', port);
    expect(await running.listens()).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    await running.stop();
  });

  test('gives up when the program ends before', async () => {
    const server = createServer();
    const port = await listen(server);
    const running = start('exit 1', port);
    await running.ended;
    // Fails when the end isn't looked at: `berth dev` would announce an address that another program answers.
    expect(await running.listens()).toBe(false);
    await new Promise((resolve) => server.close(resolve));
  });
});
