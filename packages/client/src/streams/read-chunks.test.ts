import { createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { readChunks } from './read-chunks.ts';

const clock = createSystemClock();

test('a stream that falls silent is an error and is let go', async () => {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array([1])),
    cancel: () => {
      isCancelled = true;
    },
  });
  const chunks = readChunks(stream, { clock, idleMs: 20 });
  expect((await chunks.next()).value).toEqual(new Uint8Array([1]));
  await expect(chunks.next()).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(isCancelled).toBe(true);
});

test('an abort ends a wait with its reason', async () => {
  const stop = new AbortController();
  const chunks = readChunks(new ReadableStream(), { clock, idleMs: 60_000, signal: stop.signal });
  const next = chunks.next();
  stop.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});
