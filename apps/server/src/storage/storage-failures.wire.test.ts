import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createError } from '@berth/contract';
import { createIdSource } from '@berth/kit';
import { createUrlSigner, formatSignedUrl, OBJECTS_PREFIX, type ObjectStore } from '@berth/object-store';
import { createFakeClock, createFakeObjectStore, createRecordingLogger } from '@berth/testkit';
import { afterEach, expect, test } from 'vitest';
import { createStorageHandler } from './create-storage-handler.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** The storage handler on a port, over a store that `changes` break. */
async function serve(changes: Partial<ObjectStore>, hasVolume: () => Promise<boolean> = async () => true) {
  const clock = createFakeClock();
  const lines: string[] = [];
  const changed: object[] = [];
  const signer = createUrlSigner({ secret: new Uint8Array(32).fill(5), clock });
  const server = createServer(
    createStorageHandler({
      store: { ...createFakeObjectStore({ clock }), ...changes },
      signer,
      clock,
      hasVolume,
      logger: createRecordingLogger(lines),
      ids: createIdSource(),
      storageUrl: () => '',
      onChange: (_place, change) => void changed.push(change),
    }).handle,
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (method: 'GET' | 'HEAD' | 'PUT', body?: string) => {
    const grant = { method: method === 'PUT' ? method : ('GET' as const), account: 'a', storageId: 'v.1', path: 'x' };
    const target = formatSignedUrl(url, OBJECTS_PREFIX, grant, signer.sign(grant, clock.nowMs() + 60_000));
    return fetch(target, { method, ...(body === undefined ? {} : { body }) });
  };
  return { ask, lines, changed };
}

// Fails when the message of an unexpected error goes out: it has paths of the server, or what a bucket said.
test.each(['GET', 'PUT'] as const)('a fault of the store is told to the log alone: %s', async (method) => {
  const fail = () => Promise.reject(new Error('canary: EIO, read /srv/berth/work/volumes/a/v.1/x'));
  const { ask, lines, changed } = await serve({ open: fail, put: fail });
  const answer = await ask(method, method === 'PUT' ? 'bytes' : undefined);
  const text = await answer.text();
  const id = answer.headers.get('x-request-id') ?? '';
  expect(answer.status).toBe(500);
  expect(JSON.parse(text)).toEqual({
    detail: `Internal error. The platform's log has details under request ID ${id}.`,
  });
  const errors = lines.filter((line) => line.includes('"level":"error"'));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('canary');
  expect(errors[0]).toContain(id);
  // Fails when the size of the volume is changed before the store has answered.
  expect(changed).toEqual([]);
});

test('a store that is away says when to come back, and one that is full does not', async () => {
  const away = await serve({ open: () => Promise.reject(createError('unavailable', 'The bucket is away.')) });
  const answer = await away.ask('GET');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await answer.json()).toEqual({ detail: 'The bucket is away.' });
  const full = await serve({ put: () => Promise.reject(createError('insufficient_storage', 'No room.')) });
  const refused = await full.ask('PUT', 'bytes');
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    507,
    null,
    { detail: 'No room.' },
  ]);
});

// Fails when a failed look-up counts as a yes: the bytes would go to a volume that may be deleted.
test('without an answer about the volume nothing is read or stored', async () => {
  let touched = 0;
  const touch = () => {
    touched++;
    return Promise.reject(new Error('not reached'));
  };
  const { ask } = await serve({ open: touch, put: touch }, () => Promise.reject(new Error('the database is locked')));
  expect([(await ask('GET')).status, (await ask('PUT', 'x')).status, touched]).toEqual([500, 500, 0]);
});

test('an answer to HEAD has no body, whatever went wrong', async () => {
  const { ask } = await serve({ open: async () => undefined });
  const answer = await ask('HEAD');
  expect([answer.status, await answer.text()]).toEqual([404, '']);
  expect(answer.headers.get('content-length')).toMatch(/^\d+$/);
});
