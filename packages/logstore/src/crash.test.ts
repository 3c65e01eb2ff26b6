import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { describe, expect, test } from 'vitest';
import { createFileLogStore } from './create-file-log-store.ts';
import { createNodeLogFiles, type LogFiles } from './lines/log-files.ts';
import { openFileParquet } from './testing/file-parquet.ts';
import { createTemporaryStore, printed, SCOPE } from './testing/temporary-store.ts';

const ROUNDS = 6;

test.each(['lines', 'parquet'] as const)(
  'kill -9 at any moment loses nothing that was flushed and leaves no half entry: %s',
  {
    timeout: 120_000,
  },
  async (format) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-crash-'));
    let nextNumber = 0;
    let lastTimestamp = '';
    for (let round = 0; round < ROUNDS; round++) {
      const flushed = await writeUntilKilled(folder, nextNumber, (format === 'lines' ? 2 : 30) + 3 * round, format);
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
    for (const made of [folder, cacheOf(folder)]) await rm(made, { recursive: true, force: true });
  },
);

const cacheOf = (folder: string) => `${folder}-compiled`;

describe('forcing to the disk', () => {
  /** Files that note what was written and not yet forced to the disk. */
  function createWatchedFiles() {
    const files = createNodeLogFiles();
    const unforced = new Set<string>();
    const watched: LogFiles = {
      ...files,
      write: async (path, position, bytes) => {
        unforced.add(path);
        await files.write(path, position, bytes);
      },
      sync: async (path) => {
        const written = unforced.has(path);
        await files.sync(path);
        if (written) unforced.delete(path);
      },
    };
    return { files: watched, unforced };
  }

  test('flush forces every segment of every log', async () => {
    const { files, unforced } = createWatchedFiles();
    await using temporary = await createTemporaryStore({ files, limits: { segmentBytes: 500, commitMs: 60_000 } });
    for (let index = 0; index < 30; index++) {
      await temporary.store.append(SCOPE, printed('x'.repeat(100)));
      await temporary.store.append({ account: 'acme', deployment: `d${index % 3}` }, printed('x'));
      if (index % 5 === 0) await temporary.messages();
    }
    expect(unforced.size).toBeGreaterThan(3);
    await temporary.store.flush();
    expect(unforced).toEqual(new Set());
  });

  test('an entry is forced within a second of its append, without a flush', async () => {
    const { files, unforced } = createWatchedFiles();
    await using temporary = await createTemporaryStore({ files });
    for (const text of ['first', 'second']) {
      await temporary.store.append(SCOPE, printed(text));
      expect((await temporary.messages()).at(-1)).toBe(text);
      expect(unforced.size).toBe(1);
      await expect.poll(() => unforced.size, { timeout: 1000, interval: 20 }).toBe(0);
    }
  });
});

/** Runs the writer, kills it soon after its `flushes`th flush, and answers the number it flushed last. */
async function writeUntilKilled(folder: string, firstNumber: number, flushes: number, format: string): Promise<number> {
  const program = fileURLToPath(new URL('./testing/crash-writer.ts', import.meta.url));
  const child = spawn(process.execPath, [program, folder, String(firstNumber), format], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Compiling its modules is most of a start, and it starts once a round.
    env: { ...process.env, NODE_COMPILE_CACHE: cacheOf(folder) },
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
  const clock = createSystemClock();
  const logger = createSilentLogger();
  const parquet = await openFileParquet(folder, clock);
  const store = createFileLogStore({ folder, clock, logger, parquet });
  const all = [];
  for (let since = '1970-01-01T00:00:00Z'; ; since = all.at(-1)?.timestamp ?? since) {
    const page = await store.read(SCOPE, { limit: 1000, since });
    if (page.length === 0) break;
    all.push(...page);
  }
  await store.close();
  return all;
}
