import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { createFileLogStore } from './create-file-log-store.ts';
import { SCOPE } from './testing/temporary-store.ts';

const ROUNDS = 6;

test('kill -9 at any moment loses nothing that was flushed and leaves no half entry', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-crash-'));
  let nextNumber = 0;
  let lastTimestamp = '';
  for (let round = 0; round < ROUNDS; round++) {
    const flushed = await writeUntilKilled(folder, nextNumber, 2 + 3 * round);
    const entries = await readAll(folder);
    const numbers = entries.map((entry) => Number(entry.message.split(' ')[0]));
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(numbers.length).toBeGreaterThan(flushed);
    for (const { message } of entries) expect(message).toMatch(/^\d+ x*$/);
    const times = entries.map((entry) => entry.timestamp);
    expect(times).toEqual([...new Set(times)].sort());
    expect(times[nextNumber] ?? '').toSatisfy((first: string) => first > lastTimestamp);
    lastTimestamp = times.at(-1) ?? '';
    nextNumber = numbers.length;
  }
  await rm(folder, { recursive: true, force: true });
});

test('what was appended is on the disk within a second, without a flush', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-commit-'));
  const store = createFileLogStore({ folder, clock: createSystemClock(), logger: createSilentLogger() });
  await store.append(SCOPE, [{ logName: 'stdout', severity: 'INFO', message: 'unflushed' }]);
  const onDisk = async () => {
    const other = createFileLogStore({ folder, clock: createSystemClock(), logger: createSilentLogger() });
    return (await other.read(SCOPE, { limit: 1 })).length;
  };
  await expect.poll(onDisk, { timeout: 1000, interval: 50 }).toBe(1);
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the writer, kills it soon after its `flushes`th flush, and answers the number it flushed last. */
async function writeUntilKilled(folder: string, firstNumber: number, flushes: number): Promise<number> {
  const program = join(import.meta.dirname, 'testing', 'crash-writer.ts');
  const child = spawn(process.execPath, [program, folder, String(firstNumber)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let flushed = -1;
  let count = 0;
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    flushed = Number(line);
    count++;
    // A little later each time: inside an append, a write, a sync.
    if (count === flushes) setTimeout(() => child.kill('SIGKILL'), count / 2);
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return flushed;
}

async function readAll(folder: string) {
  const store = createFileLogStore({ folder, clock: createSystemClock(), logger: createSilentLogger() });
  const all = [];
  for (let since = '1970-01-01T00:00:00Z'; ; since = all.at(-1)?.timestamp ?? since) {
    const page = await store.read(SCOPE, { limit: 1000, since });
    if (page.length === 0) break;
    all.push(...page);
  }
  await store.close();
  return all;
}
