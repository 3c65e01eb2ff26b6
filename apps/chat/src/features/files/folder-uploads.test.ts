import { expect, it, vi } from 'vitest';
import { createFolderUploads } from './folder-uploads.ts';

function open() {
  const calls: { readonly path: string; readonly signal: AbortSignal; done(): void; fail(error: Error): void }[] = [];
  const onStored = vi.fn();
  const uploads = createFolderUploads({
    maxBytes: 10,
    tooLarge: () => 'too large',
    onStored,
    put: (path, _file, signal) => new Promise((done, fail) => calls.push({ path, signal, done, fail })),
  });
  return { uploads, calls, onStored };
}

const file = (path: string, text = 'x') => ({ path, file: new Blob([text]) });

it('puts up three at a time and tells when all are there', async () => {
  const { uploads, calls, onStored } = open();
  uploads.add(['a', 'b', 'c', 'd/e'].map((path) => file(path)));
  expect(calls.map(({ path }) => path)).toEqual(['a', 'b', 'c']);
  calls[1]?.done();
  await vi.waitFor(() => expect(calls[3]?.path).toBe('d/e'));
  expect(onStored).not.toHaveBeenCalled();
  for (const { done } of calls) done();
  await vi.waitFor(() => expect(onStored).toHaveBeenCalledOnce());
  expect(uploads.state.get()).toEqual([]);
});

it('keeps what did not get there, with the reason, and sends it again when asked', async () => {
  const { uploads, calls } = open();
  uploads.add([file('a'), file('large', 'x'.repeat(11))]);
  calls[0]?.fail(new Error('no room'));
  await vi.waitFor(() => expect(uploads.state.get().map(({ problem }) => problem)).toEqual(['no room', 'too large']));
  const [a] = uploads.state.get();
  uploads.retry(a?.id as number);
  expect(uploads.state.get()[0]).toMatchObject({ path: 'a', problem: undefined });
  await vi.waitFor(() => expect(calls).toHaveLength(2));
});

it('calls off what is removed', () => {
  const { uploads, calls } = open();
  uploads.add([file('a')]);
  uploads.remove(uploads.state.get()[0]?.id as number);
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(uploads.state.get()).toEqual([]);
});
