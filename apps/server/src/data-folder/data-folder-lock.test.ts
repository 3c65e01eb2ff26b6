import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFakeClock } from '@berth/testkit';
import { afterEach, expect, it } from 'vitest';
import { lockDataFolder, lockState } from './data-folder-lock.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-lock-'));
afterEach(() => rmSync(path.join(folder, 'server.lock'), { force: true }));

it('is held by one at a time and free again after release', () => {
  const lock = lockDataFolder(folder);
  expect(() => lockDataFolder(folder)).toThrow(/Another Berth server/);
  lock.release();
  lock.release();
  lockDataFolder(folder).release();
});

it('ends with the process that held it', async () => {
  const source = `import { lockDataFolder } from ${JSON.stringify(path.join(import.meta.dirname, 'data-folder-lock.ts'))};
    // Held by a name: a connection that nobody holds is collected, and its lock with it.
    globalThis.lock = lockDataFolder(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module-typescript', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  });
  await once(holder.stdout, 'data');
  expect(() => lockDataFolder(folder)).toThrow(/Another Berth server/);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  lockDataFolder(folder).release();
});

it('of what it holds is waited for, but not for ever', async () => {
  const clock = createFakeClock();
  const lock = await lockState(folder, clock);
  let isTaken = false;
  const next = lockState(folder, clock).then((taken) => {
    isTaken = true;
    return taken;
  });
  await clock.elapse(1_000);
  expect(isTaken).toBe(false);
  lock.release();
  await clock.elapse(1_000);
  expect(isTaken).toBe(true);
  const refused = expect(lockState(folder, clock)).rejects.toMatchObject({ code: 'conflict' });
  await clock.elapse(11_000);
  await refused;
  (await next).release();
});
