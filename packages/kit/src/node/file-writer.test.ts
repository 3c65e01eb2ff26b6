import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileWriter } from './file-writer.ts';

const KIB = 1_024;
const MIB = 2 ** 20;
const BLOCK = Buffer.alloc(4 * MIB);

/** A file that keeps what is written, and fails or waits as told. */
function fakeFile({
  /** Bytes that one call takes at most. */
  perCall = Number.POSITIVE_INFINITY,
  write = async (_call: number) => {},
  sync = async (_call: number) => {},
} = {}) {
  const pieces: Buffer[] = [];
  const seen = {
    writes: 0,
    syncs: 0,
    get bytes() {
      return Buffer.concat(pieces);
    },
  };
  const file = {
    async writev(chunks: readonly Uint8Array[]) {
      await write(++seen.writes);
      const taken = Buffer.concat(chunks).subarray(0, perCall);
      pieces.push(taken);
      return { bytesWritten: taken.length, buffers: chunks };
    },
    datasync: () => sync(++seen.syncs),
  };
  return { seen, writer: createFileWriter(file as unknown as FileHandle) };
}

test('whatever the sizes, the file holds the bytes in their order', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-writer-'));
  try {
    await using file = await open(path.join(folder, 'file'), 'w');
    const writer = createFileWriter(file);
    const chunks = [0, 1, 100 * KIB, 512 * KIB, 3, 700 * KIB, 512 * KIB - 1, 0, 2].map((size) => randomBytes(size));
    for (const chunk of chunks) await writer.write(chunk);
    await writer.end();
    expect((await readFile(path.join(folder, 'file'))).equals(Buffer.concat(chunks))).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});

// Fails when the rest of a short write is dropped, or written from the start of its chunk: a disk that is nearly full
// writes what fits.
test.each([1, 7, 1_000])('a file that takes %i bytes at a time gets all of them', async (perCall) => {
  const { seen, writer } = fakeFile({ perCall });
  const chunks = [randomBytes(5), randomBytes(9), Buffer.alloc(0), randomBytes(2_000)];
  for (const chunk of chunks) await writer.write(chunk);
  await writer.end();
  expect(seen.bytes.equals(Buffer.concat(chunks))).toBe(true);
});

test('small chunks are written together, and nothing is left at the end', async () => {
  const { seen, writer } = fakeFile();
  for (let index = 0; index < 511; index++) await writer.write(Buffer.alloc(KIB));
  expect(seen.writes).toBe(0);
  await writer.write(Buffer.alloc(KIB));
  expect(seen.writes).toBe(1);
  await writer.write(Buffer.from('rest'));
  await writer.end();
  expect(seen.bytes).toHaveLength(512 * KIB + 4);
});

// Fails when `write` doesn't wait for the batch before: a fast upload to a slow disk would pile up in memory.
test('a disk that is slow is waited for, one batch ahead', async () => {
  const gate = Promise.withResolvers<void>();
  const { seen, writer } = fakeFile({ write: () => gate.promise });
  let accepted = 0;
  const writing = (async () => {
    for (; accepted < 5; accepted++) await writer.write(Buffer.alloc(512 * KIB));
  })();
  await new Promise(setImmediate);
  expect([accepted, seen.writes]).toEqual([1, 1]);
  gate.resolve();
  await writing;
  await writer.end();
  expect(seen.bytes).toHaveLength(5 * 512 * KIB);
});

describe('a failure', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

  // Fails when the error of a batch is lost with its promise: an object with a hole would be answered as stored.
  test('of a write reaches the next call, and every later one', async () => {
    const { writer } = fakeFile({
      async write(call) {
        if (call === 1) throw full;
      },
    });
    await writer.write(Buffer.alloc(512 * KIB));
    await expect(writer.write(Buffer.alloc(512 * KIB))).rejects.toBe(full);
    await expect(writer.end()).rejects.toBe(full);
  });

  test('of the last write reaches the end', async () => {
    const { writer } = fakeFile({ write: () => Promise.reject(full) });
    await writer.write(Buffer.from('x'));
    await expect(writer.end()).rejects.toBe(full);
  });

  // Fails when a later sync replaces one that failed: the kernel reports a lost page once, and then calls all well.
  test('of a sync is not hidden by a sync after it', async () => {
    const { seen, writer } = fakeFile({
      async sync(call) {
        if (call === 1) throw new Error('EIO');
      },
    });
    for (let written = 0; written < 100; written += 4) await writer.write(BLOCK);
    await expect(writer.end()).rejects.toThrow('EIO');
    expect(seen.syncs).toBe(1);
  });
});

// Fails when a sync begins before the one before it has ended, or every batch is synced.
test('syncs run in the background, one at a time, every 32 MiB', async () => {
  let running = 0;
  let gate = Promise.withResolvers<void>();
  const { seen, writer } = fakeFile({
    async sync() {
      running++;
      expect(running).toBe(1);
      await gate.promise;
      running--;
    },
  });
  const write = async (mib: number) => {
    for (let written = 0; written < mib; written += 4) await writer.write(BLOCK);
  };
  await write(28);
  expect(seen.syncs).toBe(0);
  await write(4);
  expect(seen.syncs).toBe(1);
  // The writes go on meanwhile.
  await write(64);
  expect(seen.syncs).toBe(1);
  gate.resolve();
  await new Promise(setImmediate);
  gate = Promise.withResolvers();
  await write(4);
  expect(seen.syncs).toBe(2);
  const ended = writer.end();
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  // Fails when the end doesn't wait for the sync that is under way.
  expect(isOver).toBe(false);
  gate.resolve();
  await ended;
});
