// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { act, createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../../../api/query-keys.ts';
import { createMemoryStorage } from '../../../../render-view.test-support.ts';
import { openView, say } from '../../../../testing/open-view.ts';
import type { FileToSend, SendFile } from '../state/send-file.ts';
import { createUploadJournal } from '../state/upload-journal.ts';
import { createUploadQueue, type WaitingFile } from '../state/upload-queue.ts';
import { UploadTray } from './upload-tray.tsx';

const ORIGIN = { volume: 'media', folder: 'a/', names: ['photos'] };

async function* files(...names: string[]): AsyncGenerator<WaitingFile> {
  for (const name of names) yield { volume: 'media', object: `a/${name}`, open: async () => new File(['x'], name) };
}

/** Opens the tray over a queue whose files the test ends. */
async function open(storage = createMemoryStorage()) {
  const going = new Map<string, FileToSend & PromiseWithResolvers<void>>();
  const send: SendFile = (file) => {
    const ending = Promise.withResolvers<void>();
    file.signal.addEventListener('abort', () => ending.reject(file.signal.reason));
    going.set(file.object, { ...file, ...ending });
    return ending.promise;
  };
  const queue = createUploadQueue(send, createUploadJournal(storage));
  const view = await openView(createElement(UploadTray), {
    uploads: queue,
    cached: [[QUERY_KEYS.folder('media', 'a/', ''), {}]],
  });
  const change = async (work: () => void) => {
    await act(async () => work());
    await view.settle();
  };
  return {
    view,
    queue,
    change,
    going,
    add: (...names: string[]) => change(() => queue.add(files(...names), ORIGIN)),
    end: (name: string, error?: Error) =>
      change(() => (error ? going.get(`a/${name}`)?.reject(error) : going.get(`a/${name}`)?.resolve())),
    /** Returns whether the browser would ask before the page is left. */
    isHeld: async () => (await view.fire('beforeunload', {}, view.document.documentElement)).defaultPrevented,
    isStale: () => view.queries.getQueryState(QUERY_KEYS.folder('media', 'a/', ''))?.isInvalidated,
  };
}

describe('uploads that run', () => {
  test('show how far each of them is', async () => {
    const { view, add, going, change } = await open();
    await add('x.txt');
    expect(view.get('progressbar', 'x.txt').getAttribute('value')).toBe('0');
    await change(() => going.get('a/x.txt')?.onSent(1));
    expect(view.get('progressbar', 'x.txt').getAttribute('value')).toBe('1');
    await change(() => going.get('a/x.txt')?.onInterrupted?.(true));
    expect(view.text()).toContain(say('uploads.interrupted'));
  });

  // Fails when the page can be left unasked while files are on their way, or asks for good.
  test('hold the page until they have ended', async () => {
    const { add, end, isHeld } = await open();
    expect(await isHeld()).toBe(false);
    await add('x.txt');
    expect(await isHeld()).toBe(true);
    await end('x.txt');
    expect(await isHeld()).toBe(false);
  });

  // Fails when the listing of the folder lacks what was uploaded into it.
  test('make the listing be read anew once they have ended', async () => {
    const { add, end, isStale } = await open();
    await add('x.txt', 'y.txt');
    await end('x.txt');
    expect(isStale()).toBe(false);
    await end('y.txt');
    expect(isStale()).toBe(true);
  });

  test('are canceled by their button, and the tray goes', async () => {
    const { view, add, going } = await open();
    await add('x.txt');
    await view.click(view.get('button', say('uploads.cancel')));
    expect(going.get('a/x.txt')?.signal.aborted).toBe(true);
    expect(view.find('region', say('uploads.title'))).toBeUndefined();
  });
});

describe('uploads that failed', () => {
  // Fails when a failure is hidden among what went well, or can't be tried again.
  test('are named with their reasons, and tried again', async () => {
    const { view, add, end, going } = await open();
    await add('x.txt', 'y.txt');
    await end('x.txt', new Error('The disk is full.'));
    await end('y.txt');
    expect(view.text()).toContain('The disk is full.');
    expect(view.find('progressbar')).toBeUndefined();
    going.clear();
    await view.click(view.get('button', say('uploads.retry')));
    expect([...going.keys()]).toEqual(['a/x.txt']);
    await end('x.txt');
    expect(view.text()).not.toContain('The disk is full.');
  });

  // Fails when another try is offered while files are still on their way.
  test('wait with another try until the others have ended', async () => {
    const { view, add, end } = await open();
    await add('x.txt', 'y.txt');
    await end('x.txt', new Error('The disk is full.'));
    expect(view.find('button', say('uploads.retry'))).toBeUndefined();
  });
});

describe('a canceled upload that ends all the same', () => {
  // Fails when the end of a canceled file is counted among the files of the next uploads.
  test('isn’t counted with the next ones', async () => {
    const ends: (() => void)[] = [];
    // The last byte was sent before the cancellation came.
    const send: SendFile = () => new Promise((resolve) => ends.push(resolve));
    const queue = createUploadQueue(send, createUploadJournal(createMemoryStorage()));
    const view = await openView(createElement(UploadTray), { uploads: queue });
    await act(async () => queue.add(files('old.txt'), ORIGIN));
    await view.settle();
    await act(async () => queue.cancel());
    await act(async () => queue.add(files('new.txt'), ORIGIN));
    await view.settle();
    await act(async () => ends[0]?.());
    await view.settle();
    expect(queue.state).toMatchObject({ begunCount: 1, doneCount: 0, isDone: false });
    expect(view.text()).toContain(say('uploads.progress', { done: 0, count: 1 }));
  });

  // Fails when a folder whose reading fails after the cancellation is a failure of the next uploads.
  test('leaves them no failure', async () => {
    const { view, queue, change, add, end } = await open();
    const gone = Promise.withResolvers<never>();
    await change(() => queue.add({ [Symbol.asyncIterator]: () => ({ next: () => gone.promise }) }, ORIGIN));
    await change(() => queue.cancel());
    await add('new.txt');
    await change(() => gone.reject(new Error('The folder is gone.')));
    await end('new.txt');
    expect(queue.state).toMatchObject({ doneCount: 1, failed: [], isDone: true });
    expect(view.text()).not.toContain('The folder is gone.');
  });
});

describe('files that exist already', () => {
  // Fails when something is replaced before anybody was asked.
  test('wait for the person’s choice', async () => {
    const { view, add, end, going } = await open();
    await add('x.txt');
    expect(going.get('a/x.txt')?.isNew).toBe(true);
    await end('x.txt', createError('precondition_failed', 'There is one.'));
    expect(view.all('button').map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining(
        (['replace', 'keep-both', 'skip'] as const).map((choice) => say(`uploads.choice.${choice}`)),
      ),
    );
    going.clear();
    await view.click(view.get('button', say('uploads.choice.skip')));
    expect([...going.keys()]).toEqual([]);
  });
});

// Fails when a reload hides that files are missing.
test('uploads that a reload cut off are named, with the folder to drop them into again', async () => {
  const storage = createMemoryStorage();
  createUploadJournal(storage).write([ORIGIN]);
  const { view } = await open(storage);
  expect(view.text()).toContain('photos');
  expect(view.get('link', 'media/a/').getAttribute('href')).toBe('/volumes/media?path=a%2F');
  await view.click(view.get('button', say('uploads.close')));
  expect(createUploadJournal(storage).read()).toEqual([]);
});
