import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { lockDataFolder } from './data-folder-lock.ts';

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
    lockDataFolder(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000);`;
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
