import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import { BerthError } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test, vi } from 'vitest';
import { createSendFile, RESUMABLE_BYTES } from './send-file.ts';
import type { StorageCall } from './storage-request.ts';

const lost = () => new BerthError({ code: 'unavailable', status: 503, isRetryable: true, message: 'lost' });
const refused = (code: string, status: number) => new BerthError({ code, status, message: code });

/** A fake storage that has received `kept` bytes of an upload. `answer` can make a call fail. */
function setup(answer: (call: StorageCall, index: number) => void = () => {}, hasParts = true, there: string[] = []) {
  const calls: StorageCall[] = [];
  let kept = 0;
  const map = new Map<string, string>();
  const journal = {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  };
  const clock = createFakeClock();
  const sendFile = createSendFile({
    client: createFakeCalls<ControlPaths>({
      'GET /v1/volume/objects': () => {
        const objects = there.map((path) => ({ path, size: 1, updated: '' }));
        return { objects, next_page_token: null };
      },
      'POST /v1/volume/upload': ({ body: { resumable } }) => {
        if (resumable && !hasParts) throw refused('not_available', 501);
        return { url: 'http://storage/signed', method: resumable ? 'POST' : 'PUT', expires_at: '' };
      },
    }),
    journal,
    clock,
    async storage(call) {
      calls.push(call);
      if (call.method === 'PATCH') {
        call.onSent?.(4);
        kept += 4;
      }
      answer(call, calls.length);
      if (call.method === 'PATCH') kept = RESUMABLE_BYTES;
      return { header: (name) => ({ Location: '/upload/1', 'Upload-Offset': String(kept) })[name] ?? null };
    },
  });
  const send = (sizeBytes: number, signal = new AbortController().signal, isNew = false) => {
    const file = {
      size: sizeBytes,
      lastModified: 1,
      slice: (from: number) => ({ size: sizeBytes - from }) as Blob,
    } as File;
    const onSent = vi.fn();
    const onInterrupted = vi.fn();
    const done = sendFile({ volume: 'v', object: 'a/b', file, isNew, signal, onSent, onInterrupted });
    done.catch(() => {});
    return { done, onSent, onInterrupted };
  };
  return { calls, clock, map, send };
}

const wait = async (clock: ReturnType<typeof createFakeClock>, done: Promise<unknown>) => {
  let isOver = false;
  void done
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await clock.elapse(1_000);
    await new Promise(setImmediate);
  }
};

test('a small file is one PUT, repeated after a lost connection', async () => {
  const { calls, clock, send } = setup((_, index) => {
    if (index === 1) throw lost();
  });
  const { done, onInterrupted } = send(10);
  await wait(clock, done);
  await done;
  expect(calls.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
  expect(onInterrupted).toHaveBeenCalledWith(true);
});

test("a large file resumes at the storage's offset, and leaves the journal when complete", async () => {
  const { calls, clock, map, send } = setup(({ method }, index) => {
    if (method === 'PATCH' && index < 4) throw lost();
  });
  const { done, onSent } = send(RESUMABLE_BYTES);
  await wait(clock, done);
  await done;
  expect(calls.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'HEAD', 'PATCH']);
  expect(calls[3]?.headers?.['Upload-Offset']).toBe('4');
  expect(onSent.mock.calls.map(([bytes]) => bytes)).toEqual([0, 4, 4, 8]);
  expect(map.size).toBe(0);
});

test('resumes an upload of an earlier page, and restarts one that the storage no longer knows', async () => {
  const first = setup(({ method }) => {
    if (method === 'PATCH') throw refused('insufficient_storage', 507);
  });
  await expect(first.send(RESUMABLE_BYTES).done).rejects.toThrow('insufficient_storage');
  expect(first.map.size).toBe(1);
  await expect(first.send(RESUMABLE_BYTES).done).rejects.toThrow('insufficient_storage');
  expect(first.calls.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'HEAD', 'PATCH']);

  const second = setup(({ method }) => {
    if (method === 'HEAD') throw refused('not_found', 404);
  });
  second.map.set('berth:upload:["v","a/b",16777216,1]', 'http://storage/upload/0');
  await second.send(RESUMABLE_BYTES).done;
  expect(second.calls.map(({ method }) => method)).toEqual(['HEAD', 'POST', 'PATCH']);
});

test('a storage without resumable uploads gets the file whole', async () => {
  const { calls, send } = setup(undefined, false);
  await send(RESUMABLE_BYTES).done;
  expect(calls.map(({ method }) => method)).toEqual(['PUT']);
});

test('gives up after six consecutive failures, and at once when refused or aborted', async () => {
  const broken = setup(() => {
    throw lost();
  });
  const { done } = broken.send(10);
  await wait(broken.clock, done);
  await expect(done).rejects.toThrow('lost');
  expect(broken.calls).toHaveLength(6);
  const ending = new AbortController();
  const ended = setup(() => {
    ending.abort(new Error('ended'));
    throw lost();
  });
  await expect(ended.send(10, ending.signal).done).rejects.toThrow('ended');
});

test('a new file never replaces an object, whatever its size', async () => {
  const { calls, send } = setup(undefined, true, ['a/b']);
  const signal = new AbortController().signal;
  await send(10, signal, true).done;
  expect(calls[0]?.headers).toEqual({ 'If-None-Match': '*' });
  for (const sizeBytes of [2 ** 20, RESUMABLE_BYTES]) {
    await expect(send(sizeBytes, signal, true).done).rejects.toMatchObject({ code: 'precondition_failed' });
  }
  expect(calls).toHaveLength(1);
});
