import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import { BerthError } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../../render-view.test-support.ts';
import { createSendFile, RESUMABLE_BYTES } from './send-file.ts';
import type { StorageAnswer, StorageCall } from './storage-request.ts';

const answerWith = (headers: Readonly<Record<string, string>>): StorageAnswer => ({
  header: (name) => headers[name] ?? null,
});

/** Sends files to a fake storage; `there` are the paths of its objects. */
function setup(answer: (call: StorageCall) => StorageAnswer, there: readonly string[] = []) {
  const calls: StorageCall[] = [];
  const asked: unknown[] = [];
  const journal = createMemoryStorage();
  const sendFile = createSendFile({
    client: createFakeCalls<ControlPaths>({
      'GET /v1/volume/objects': ({ query }) => {
        asked.push(query['prefix']);
        const objects = there.filter((path) => path.startsWith(`${query['prefix']}`));
        return { objects: objects.map((path) => ({ path, size: 1, updated: '' })), next_page_token: null };
      },
      'POST /v1/volume/upload': () => ({ url: 'http://storage/signed/', method: 'PUT', expires_at: '' }),
    }),
    journal,
    clock: createFakeClock(),
    async storage(call) {
      calls.push(call);
      return answer(call);
    },
  });
  const sent: number[] = [];
  const send = (object: string, size: number, isNew: boolean) => {
    const file = { size, lastModified: 1, slice: (from: number) => ({ size: size - from }) as Blob } as File;
    const { signal } = new AbortController();
    const told = { onSent: (bytes: number) => sent.push(bytes), onInterrupted() {} };
    return sendFile({ volume: 'v', object, file, isNew, signal, ...told });
  };
  return { send, calls, asked, sent, journal };
}

describe('a new file', () => {
  // Fails when small files cost a request more, or large ones are sent before the storage refuses them.
  test.each([
    [10, [], '*'],
    [256 * 1_024, ['a.txt'], '*'],
  ])('of %i bytes is looked for at %j, and never replaces', async (size, prefixes, header) => {
    const { send, calls, asked } = setup(() => answerWith({}));
    await send('a.txt', size, true);
    expect(asked).toEqual(prefixes);
    expect(calls[0]?.headers).toEqual({ 'If-None-Match': header });
  });

  // Fails when a name in the Unicode form of macOS isn't found among those of the storage.
  test('is found in whatever Unicode form its name has', async () => {
    const { send, calls } = setup(() => answerWith({}), ['caf\u00e9.txt']);
    await expect(send('cafe\u0301.txt', 300_000, true)).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(calls).toEqual([]);
  });

  // Fails when an object whose path merely begins alike counts.
  test('isn’t confused with one whose path begins alike', async () => {
    const { send, calls } = setup(() => answerWith({}), ['a.txt.bak']);
    await send('a.txt', 300_000, true);
    expect(calls).toHaveLength(1);
  });

  test('may replace when it is asked to', async () => {
    const { send, calls, asked } = setup(() => answerWith({}), ['a.txt']);
    await send('a.txt', 300_000, false);
    expect([asked, calls[0]?.headers]).toEqual([[], {}]);
  });
});

describe('a resumable upload', () => {
  // Fails when an answer without an address is tried without end.
  test('without an address fails', async () => {
    const { send, journal } = setup(() => answerWith({}));
    await expect(send('a.bin', RESUMABLE_BYTES, false)).rejects.toMatchObject({ message: 'No Location.' });
    expect(journal.kept.size).toBe(0);
  });

  // Fails when a relative address is resolved against the page.
  test('goes on at the address that the storage gives', async () => {
    const { send, calls, sent, journal } = setup(({ method }) =>
      answerWith(method === 'POST' ? { Location: '../files/7' } : {}),
    );
    await send('a.bin', RESUMABLE_BYTES, false);
    expect(calls.map(({ method, url }) => [method, url])).toEqual([
      ['POST', 'http://storage/signed/'],
      ['PATCH', 'http://storage/files/7'],
    ]);
    expect(calls[0]?.headers).toEqual({ 'Tus-Resumable': '1.0.0', 'Upload-Length': String(RESUMABLE_BYTES) });
    expect([sent, journal.kept.size]).toEqual([[0], 0]);
  });

  // Fails when a finished upload is sent once more, or its entry stays in the journal.
  test('whose bytes are all there sends none', async () => {
    const { send, calls, journal } = setup(() => answerWith({ 'Upload-Offset': String(RESUMABLE_BYTES) }));
    const key = `berth:upload:${JSON.stringify(['v', 'a.bin', RESUMABLE_BYTES, 1])}`;
    journal.setItem(key, 'http://storage/files/7');
    await send('a.bin', RESUMABLE_BYTES, false);
    expect(calls.map(({ method }) => method)).toEqual(['HEAD']);
    expect(journal.kept.size).toBe(0);
  });

  // Fails when a refusal other than "no resumable uploads" sends the file whole.
  test('that is refused isn’t sent in another way', async () => {
    const { send, calls } = setup(({ method }) => {
      if (method === 'POST') throw new BerthError({ code: 'forbidden', status: 403, message: 'No.' });
      return answerWith({});
    });
    await expect(send('a.bin', RESUMABLE_BYTES, false)).rejects.toMatchObject({ code: 'forbidden' });
    expect(calls.map(({ method }) => method)).toEqual(['POST']);
  });
});
