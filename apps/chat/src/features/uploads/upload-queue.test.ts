import { expect, it, vi } from 'vitest';
import { createUploadQueue, type UploadRun } from './upload-queue.ts';

function open() {
  const calls: { readonly path: string; readonly upload: UploadRun; done(): void; fail(error: Error): void }[] = [];
  const onIdle = vi.fn();
  let count = 0;
  const uploads = createUploadQueue({ atOnce: 3, createId: () => `id-${++count}`, onIdle });
  const add = (...paths: readonly string[]) =>
    uploads.add(
      paths.map((path) => ({
        ...{ name: path, sizeBytes: 1 },
        run: (upload) =>
          new Promise((resolve, fail) => calls.push({ path, upload, done: () => resolve(undefined), fail })),
      })),
    );
  return { uploads, add, calls, onIdle };
}

it('puts up three at a time and tells when all are there', async () => {
  const { uploads, add, calls, onIdle } = open();
  add('a', 'b', 'c', 'd/e');
  expect(calls.map(({ path }) => path)).toEqual(['a', 'b', 'c']);
  calls[1]?.done();
  await vi.waitFor(() => expect(calls[3]?.path).toBe('d/e'));
  expect(onIdle).not.toHaveBeenCalled();
  for (const { done } of calls) done();
  await vi.waitFor(() => expect(onIdle).toHaveBeenCalledOnce());
  expect(uploads.state.get()).toEqual([]);
});

it('keeps what did not get there, with the reason, and sends it again when asked', async () => {
  const { uploads, add, calls } = open();
  add('a', 'b');
  calls[0]?.fail(new Error('no room'));
  await vi.waitFor(() => expect(uploads.state.get()[0]?.error).toEqual(new Error('no room')));
  uploads.retry('id-1');
  expect(uploads.state.get()[0]).toMatchObject({ name: 'a', progress: 0, error: undefined });
  await vi.waitFor(() => expect(calls.map(({ path }) => path)).toEqual(['a', 'b', 'a']));
});

it('calls off what is removed', () => {
  const { uploads, add, calls } = open();
  add('a');
  uploads.remove('id-1');
  expect(calls[0]?.upload.signal.aborted).toBe(true);
  expect(uploads.state.get()).toEqual([]);
});

it('starts the next one when one that runs is removed', async () => {
  const { uploads, add, calls } = open();
  add('a', 'b', 'c', 'd');
  uploads.remove('id-1');
  calls[0]?.fail(new Error('aborted'));
  await vi.waitFor(() => expect(calls.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'd']));
  expect(uploads.state.get().map(({ name }) => name)).toEqual(['b', 'c', 'd']);
});

// Fails when an upload that waits is sent although it was removed.
it('never sends what was removed before its turn', async () => {
  const { uploads, add, calls, onIdle } = open();
  add('a', 'b', 'c', 'd');
  uploads.remove('id-4');
  for (const { done } of calls) done();
  await vi.waitFor(() => expect(onIdle).toHaveBeenCalled());
  expect(calls.map(({ path }) => path)).toEqual(['a', 'b', 'c']);
});

it('sends nothing twice: only what failed is sent again', async () => {
  const { uploads, add, calls } = open();
  add('a');
  uploads.retry('id-1');
  uploads.retry('unknown');
  expect(calls).toHaveLength(1);
  calls[0]?.fail(new Error('no room'));
  await vi.waitFor(() => expect(uploads.state.get()[0]?.error).toBeDefined());
  uploads.retry('id-1');
  uploads.retry('id-1');
  await vi.waitFor(() => expect(calls).toHaveLength(2));
});

it('shows how far each one is', () => {
  const { uploads, add, calls } = open();
  add('a', 'b');
  calls[1]?.upload.onProgress(0.25);
  expect(uploads.state.get().map(({ progress }) => progress)).toEqual([0, 0.25]);
});
