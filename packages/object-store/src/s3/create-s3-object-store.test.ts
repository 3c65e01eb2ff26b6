import { createSystemClock } from '@berth/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeObjectStore, describeSharedUploads } from '../contract/index.ts';
import type { ObjectStore } from '../object-store.ts';
import { createS3ObjectStore } from './create-s3-object-store.ts';
import { findS3Server, NO_S3_SERVER, type S3Server, startS3Server } from './testing/start-s3-server.ts';

const program = findS3Server();
if (!program && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_S3_SERVER}`);
const place = { account: 'acc_1', storageId: 'vol_1' };

describe.skipIf(!program)(program ? 'on a real S3 server' : `the S3 driver ${NO_S3_SERVER}`, () => {
  let server: S3Server;
  let store: ObjectStore;
  beforeAll(async () => {
    server = await startS3Server(program as string);
    store = createS3ObjectStore({ ...server.options, clock: createSystemClock() });
  });
  afterAll(async () => {
    await store?.close();
    await server?.close();
  });

  describeObjectStore('s3', { hasPartialUploads: true, open: async () => store });

  describeSharedUploads('s3', async (clock) => createS3ObjectStore({ ...server.options, clock }));

  test('presigned URLs carry bytes past Berth, and only for what they were made for', async () => {
    const sign = (method: 'GET' | 'PUT', path: string) =>
      store.presign?.({ method, place, path, expiresInSeconds: 900 }) as Promise<string>;
    const path = 'dir/ü é+?.txt';
    const put = await fetch(await sign('PUT', path), { method: 'PUT', body: 'over the wire' });
    expect(put.status).toBe(200);
    expect((await store.find(place, path))?.sizeBytes).toBe(13);
    expect(await (await fetch(await sign('GET', path))).text()).toBe('over the wire');
    const url = new URL(await sign('GET', path));
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403);
    expect((await fetch(String(url).replace('vol_1', 'vol_2'))).status).toBe(403);
  });

  test('volumes cannot be mounted', () => {
    expect(store.folders).toBeUndefined();
  });
});

test('a store that does not answer is unavailable', async () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const store = createS3ObjectStore({ bucket: 'b', region: 'us-east-1', endpoint: 'http://127.0.0.1:1', credentials });
  const startedMs = createSystemClock().monotonicMs();
  await expect(store.find(place, 'x')).rejects.toMatchObject({ code: 'unavailable' });
  expect(createSystemClock().monotonicMs() - startedMs).toBeLessThan(20_000);
  await store.close();
});
