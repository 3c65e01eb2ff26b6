import { createError } from '@berth/contract';
import { expect, test } from 'vitest';
import { otherName } from './other-name.ts';
import type { FileToSend, SendFile } from './send-file.ts';
import { type CutOffUpload, createUploadJournal } from './upload-journal.ts';
import { createUploadQueue, type WaitingFile } from './upload-queue.ts';

const ORIGIN: CutOffUpload = { volume: 'v', folder: '', names: ['photos'] };

function createStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const createQueue = (send: SendFile, storage = createStorage()) =>
  createUploadQueue(send, createUploadJournal(storage));

async function* files(...names: string[]): AsyncGenerator<WaitingFile> {
  for (const object of names) yield { volume: 'v', object, open: async () => new File(['hello'], object) };
}

const until = (holds: () => boolean) => expect.poll(holds, { timeout: 10_000 }).toBe(true);

test('uploads four files at a time and reads a folder lazily', async () => {
  const going = new Map<string, () => void>();
  let most = 0;
  const send: SendFile = ({ object }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    going.set(object, resolve);
    most = Math.max(most, going.size);
    return promise.finally(() => going.delete(object));
  };
  const queue = createQueue(send);
  let read = 0;
  queue.add(
    (async function* () {
      for await (const file of files(...Array.from({ length: 20 }, (_, index) => `f${index}`))) {
        read++;
        yield file;
      }
    })(),
    ORIGIN,
  );
  await until(() => going.size === 4);
  expect(read).toBe(4);
  expect(queue.state?.active.map(({ sizeBytes }) => sizeBytes)).toEqual([5, 5, 5, 5]);
  while (queue.state?.isDone === false) {
    for (const end of going.values()) end();
    await new Promise(setImmediate);
  }
  expect([most, queue.state?.doneCount, queue.state?.begunCount, queue.state?.active]).toEqual([4, 20, 20, []]);
  queue.clear();
  expect(queue.state).toBeUndefined();
});

test('a failed upload keeps its error, stops no other, and can be retried', async () => {
  const tried: string[] = [];
  let isBroken = true;
  const queue = createQueue(async ({ object, onSent }: FileToSend) => {
    tried.push(object);
    onSent(3);
    if (object === 'b' && isBroken) throw new Error('The disk is full.');
  });
  queue.add(files('a', 'b', 'c'), ORIGIN);
  await until(() => queue.state?.isDone === true);
  expect(queue.state?.failed.map(({ file, reason }) => [file?.object, reason])).toEqual([['b', 'The disk is full.']]);
  expect(queue.state?.doneCount).toBe(2);
  isBroken = false;
  queue.retry();
  await until(() => queue.state?.isDone === true);
  expect([tried, queue.state?.failed]).toEqual([['a', 'b', 'c', 'b'], []]);
});

test('an unreadable folder is a failure and ends the uploads', async () => {
  const queue = createQueue(async () => {});
  queue.add(
    (async function* () {
      yield* files('a');
      throw new Error('gone');
    })(),
    ORIGIN,
  );
  await until(() => queue.state?.isDone === true);
  expect(queue.state).toMatchObject({ doneCount: 1, failed: [{ file: undefined, reason: 'gone' }] });
});

test('canceled uploads end at once, and new ones can start', async () => {
  const signals: AbortSignal[] = [];
  const queue = createQueue(({ signal, object }) => {
    signals.push(signal);
    if (object === 'late') return Promise.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  queue.add(files('a', 'b', 'c', 'd', 'e', 'f'), ORIGIN);
  await until(() => signals.length === 4);
  queue.cancel();
  expect([queue.state, signals.every(({ aborted }) => aborted)]).toEqual([undefined, true]);
  queue.add(files('late'), ORIGIN);
  await until(() => queue.state?.isDone === true);
  expect([queue.state?.doneCount, queue.state?.failed, signals.length]).toEqual([1, [], 5]);
});

test('a file that already exists waits for the choice: replace, keep both, or skip', async () => {
  const there = new Set(['a.txt', 'b', 'b (2)']);
  const sent: string[] = [];
  const queue = createQueue(async ({ object, isNew }) => {
    if (isNew && there.has(object)) throw createError('precondition_failed', 'There is one.');
    sent.push(object);
  });
  const conflicts = () => queue.state?.conflicts.map(({ object }) => object);
  queue.add(files('a.txt', 'new'), ORIGIN);
  await until(() => queue.state?.isDone === true);
  expect([sent, conflicts(), queue.state?.doneCount]).toEqual([['new'], ['a.txt'], 1]);
  queue.settle('replace');
  await until(() => queue.state?.isDone === true);
  expect([sent, conflicts(), queue.state?.doneCount]).toEqual([['new', 'a.txt'], [], 2]);
  queue.add(files('b'), ORIGIN);
  await until(() => conflicts()?.length === 1 && queue.state?.isDone === true);
  queue.settle('keep-both');
  await until(() => queue.state?.isDone === true);
  expect([sent.at(-1), queue.state?.failed]).toEqual(['b (3)', []]);
  queue.add(files('b'), ORIGIN);
  await until(() => conflicts()?.length === 1 && queue.state?.isDone === true);
  queue.settle('skip');
  expect(queue.state).toBeUndefined();
});

test('a reloaded page lists the interrupted uploads until their files are dropped again', async () => {
  const storage = createStorage();
  const first = createQueue(() => new Promise(() => {}), storage);
  first.add(files('a'), ORIGIN);
  const second = createQueue(async () => {}, storage);
  expect(second.state).toMatchObject({ isDone: true, cutOff: [ORIGIN] });
  second.add(files('a'), ORIGIN);
  expect(second.state?.cutOff).toEqual([]);
  await until(() => second.state?.isDone === true);
  expect(createQueue(async () => {}, storage).state).toBeUndefined();
});

test('a copy has its number before the file extension', () => {
  expect(['a.b/photo.tar.gz', 'x/.env', 'plain'].map((path) => otherName(path, 2))).toEqual([
    'a.b/photo.tar (2).gz',
    'x/.env (2)',
    'plain (2)',
  ]);
});
