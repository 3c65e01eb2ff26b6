import { createError } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../../render-view.test-support.ts';
import type { FileToSend, SendFile } from './send-file.ts';
import { createUploadJournal } from './upload-journal.ts';
import { createUploadQueue, MAX_FAILED, type WaitingFile } from './upload-queue.ts';

async function* files(...names: string[]): AsyncGenerator<WaitingFile> {
  for (const object of names) yield { volume: 'v', object, open: async () => new File(['hello'], object) };
}

function setup(send: SendFile) {
  const storage = createMemoryStorage();
  const queue = createUploadQueue(send, createUploadJournal(storage));
  let changes = 0;
  const end = queue.subscribe(() => changes++);
  return {
    queue,
    storage,
    end,
    changes: () => changes,
    add: (...names: string[]) => queue.add(files(...names), { volume: 'v', folder: '', names }),
    ended: () => expect.poll(() => queue.state?.isDone, { timeout: 10_000 }).toBe(true),
  };
}
const taken = () => {
  throw createError('precondition_failed', 'It exists.');
};

describe('an upload', () => {
  // Fails when each repeated report of a lost connection is a change, or the row keeps its warning.
  test('that is interrupted says so until bytes flow again', async () => {
    const seen: boolean[] = [];
    const going = Promise.withResolvers<FileToSend>();
    const ending = Promise.withResolvers<void>();
    const { queue, add, ended } = setup((file) => {
      going.resolve(file);
      return ending.promise;
    });
    add('a');
    const { onInterrupted, onSent } = await going.promise;
    queue.subscribe(() => seen.push(...(queue.state?.active.map(({ isInterrupted }) => isInterrupted) ?? [])));
    onInterrupted(true);
    onInterrupted(true);
    onInterrupted(false);
    onSent(3);
    expect(seen).toEqual([true, false, false]);
    expect(queue.state?.active).toMatchObject([{ object: 'a', sentBytes: 3, sizeBytes: 5, isInterrupted: false }]);
    ending.resolve();
    await ended();
  });

  // Fails when a file that can't be opened ends the worker: the files after it would wait forever.
  test('of a file that can’t be read fails alone', async () => {
    const done: string[] = [];
    const { queue, ended } = setup(async ({ object }) => void done.push(object));
    const unreadable = { volume: 'v', object: 'gone', open: () => Promise.reject(new Error('It was moved.')) };
    const all = async function* () {
      yield unreadable;
      yield* files('b', 'c');
    };
    queue.add(all(), { volume: 'v', folder: '', names: ['x'] });
    await ended();
    expect(done.toSorted()).toEqual(['b', 'c']);
    expect(queue.state?.failed).toEqual([{ file: unreadable, reason: 'It was moved.' }]);
    expect([queue.state?.begunCount, queue.state?.doneCount]).toEqual([3, 2]);
  });
});

describe('many failures', () => {
  // Fails when a full volume lets thousands of files fail one by one.
  test('end the uploads', async () => {
    let tried = 0;
    const { queue, add, ended } = setup(async () => {
      tried++;
      throw new Error('The volume is full.');
    });
    add(...Array.from({ length: MAX_FAILED + 500 }, (_, index) => `f${index}`));
    await ended();
    expect(queue.state?.failed.length).toBeGreaterThanOrEqual(MAX_FAILED);
    // The files that were under way at that moment fail too.
    expect(tried).toBeLessThan(MAX_FAILED + 8);
  });
});

describe('files that exist', () => {
  // Fails when other failures of `keep-both` are tried under the next name.
  test('are kept beside under the first free number; another error is a failure', async () => {
    const tried: string[] = [];
    const { queue, add, ended } = setup(async ({ object }) => {
      tried.push(object);
      if (object === 'a.txt' || object === 'a (2).txt') taken();
      if (object === 'b.txt') taken();
      if (object === 'b (2).txt') throw new Error('The volume is full.');
    });
    add('a.txt', 'b.txt');
    await ended();
    expect(queue.state?.conflicts.map(({ object }) => object).toSorted()).toEqual(['a.txt', 'b.txt']);
    queue.settle('keep-both');
    await ended();
    expect(tried.slice(2).toSorted()).toEqual(['a (2).txt', 'a (3).txt', 'b (2).txt']);
    expect(queue.state?.failed.map(({ reason }) => reason)).toEqual(['The volume is full.']);
    expect([queue.state?.begunCount, queue.state?.doneCount]).toEqual([2, 1]);
  });

  // Fails when skipping everything leaves an empty tray, or hides what was uploaded.
  test('and are skipped leave nothing behind where nothing else was uploaded', async () => {
    const alone = setup(async () => taken());
    alone.add('a');
    await alone.ended();
    alone.queue.settle('skip');
    expect(alone.queue.state).toBeUndefined();
    expect(alone.storage.kept.size).toBe(0);

    const mixed = setup(async ({ object }) => (object === 'a' ? taken() : undefined));
    mixed.add('a', 'b');
    await mixed.ended();
    mixed.queue.settle('skip');
    expect(mixed.queue.state).toMatchObject({ doneCount: 1, begunCount: 1, conflicts: [], isDone: true });
  });

  // Fails when the journal forgets the files before the person has decided.
  test('stay in the journal until the person has decided', async () => {
    const { queue, add, ended, storage } = setup(async ({ isNew }) => (isNew ? taken() : undefined));
    add('a');
    await ended();
    expect(storage.kept.size).toBe(1);
    queue.settle('replace');
    await ended();
    expect(storage.kept.size).toBe(0);
  });
});

describe('the queue', () => {
  // Fails when files that are dropped later begin a new count while others wait for a decision.
  test('goes on counting while something needs the person', async () => {
    const { queue, add, ended } = setup(async ({ object }) => (object === 'a' ? taken() : undefined));
    add('a', 'b');
    await ended();
    add('c');
    await ended();
    expect(queue.state).toMatchObject({ begunCount: 3, doneCount: 2, conflicts: [{ object: 'a' }] });
    queue.settle('skip');
    add('d');
    await ended();
    expect(queue.state).toMatchObject({ begunCount: 1, doneCount: 1 });
  });

  // Fails when `clear` drops uploads that are under way.
  test('is cleared only after its end, and calls nobody who left', async () => {
    const ending = Promise.withResolvers<void>();
    const { queue, add, ended, end, changes } = setup(() => ending.promise);
    add('a');
    queue.clear();
    expect(queue.state).toBeDefined();
    end();
    const before = changes();
    ending.resolve();
    await ended();
    queue.clear();
    expect(queue.state).toBeUndefined();
    expect(changes()).toBe(before);
    for (const act of [() => queue.retry(), () => queue.settle('replace'), () => queue.clear()]) act();
    expect(queue.state).toBeUndefined();
  });
});
