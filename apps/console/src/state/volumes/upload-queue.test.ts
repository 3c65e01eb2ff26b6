import { expect, test } from 'vitest';
import type { FileToSend, SendFile } from './send-file.ts';
import { createUploadQueue, type WaitingFile } from './upload-queue.ts';

async function* files(...names: string[]): AsyncGenerator<WaitingFile> {
  for (const object of names) yield { volume: 'v', object, open: async () => new File(['hello'], object) };
}

const until = (holds: () => boolean) => expect.poll(holds, { timeout: 10_000 }).toBe(true);

test('four files go at a time; a folder that is read on is not read ahead', async () => {
  const going = new Map<string, () => void>();
  let most = 0;
  const send: SendFile = ({ object }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    going.set(object, resolve);
    most = Math.max(most, going.size);
    return promise.finally(() => going.delete(object));
  };
  const queue = createUploadQueue(send);
  let read = 0;
  queue.add(
    (async function* () {
      for await (const file of files(...Array.from({ length: 20 }, (_, index) => `f${index}`))) {
        read++;
        yield file;
      }
    })(),
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

test('what fails is told with its reason, stops nothing else, and is sent again when asked', async () => {
  const tried: string[] = [];
  let isBroken = true;
  const queue = createUploadQueue(async ({ object, onSent }: FileToSend) => {
    tried.push(object);
    onSent(3);
    if (object === 'b' && isBroken) throw new Error('The disk is full.');
  });
  queue.add(files('a', 'b', 'c'));
  await until(() => queue.state?.isDone === true);
  expect(queue.state?.failed.map(({ file, reason }) => [file?.object, reason])).toEqual([['b', 'The disk is full.']]);
  expect(queue.state?.doneCount).toBe(2);
  isBroken = false;
  queue.retry();
  await until(() => queue.state?.isDone === true);
  expect([tried, queue.state?.failed]).toEqual([['a', 'b', 'c', 'b'], []]);
});

test('a folder that can not be read is a failure, and ends the uploads', async () => {
  const queue = createUploadQueue(async () => {});
  queue.add(
    (async function* () {
      yield* files('a');
      throw new Error('gone');
    })(),
  );
  await until(() => queue.state?.isDone === true);
  expect(queue.state).toMatchObject({ doneCount: 1, failed: [{ file: undefined, reason: 'gone' }] });
});

test('cancelled uploads end at once, and new ones begin', async () => {
  const signals: AbortSignal[] = [];
  const queue = createUploadQueue(({ signal, object }) => {
    signals.push(signal);
    if (object === 'late') return Promise.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  queue.add(files('a', 'b', 'c', 'd', 'e', 'f'));
  await until(() => signals.length === 4);
  queue.cancel();
  expect([queue.state, signals.every(({ aborted }) => aborted)]).toEqual([undefined, true]);
  queue.add(files('late'));
  await until(() => queue.state?.isDone === true);
  expect([queue.state?.doneCount, queue.state?.failed, signals.length]).toEqual([1, [], 5]);
});
