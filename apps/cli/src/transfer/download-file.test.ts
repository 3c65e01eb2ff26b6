import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@berth/client';
import { answerJson, createScriptedServer } from '@berth/client/testing';
import { createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { downloadFile } from './download-file.ts';
import { createStorageClient } from './storage-request.ts';

const BYTES = randomBytes(5_000);
const digestOf = (bytes: Buffer) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

async function setup(answer: (tryNumber: number) => { readonly bytes: Buffer; readonly digest?: string }) {
  const folder = await createTemporaryFolder();
  const server = await createScriptedServer();
  const storage = createStorageClient();
  server.on('POST /v1/volume/download', answerJson(200, { url: `${server.url}/store`, method: 'GET', expires_at: '' }));
  let tries = 0;
  const wanted: unknown[] = [];
  server.on('GET /store', ({ request, response }) => {
    const { bytes, digest } = answer(++tries);
    wanted.push(request.headers['want-repr-digest']);
    if (digest !== undefined) response.setHeader('Repr-Digest', digest);
    response.setHeader('Content-Length', bytes.length).end(bytes);
  });
  const target = path.join(folder.path, 'into', 'file.bin');
  const context = {
    client: createClient({ baseUrl: server.url, credential: { apiKey: 'key-0123456789' } }),
    storage,
    clock: { ...createSystemClock(), sleep: async () => {} },
    signal: new AbortController().signal,
    onBytes: () => {},
  };
  return {
    target,
    wanted,
    get tries() {
      return tries;
    },
    download: () =>
      downloadFile(context, 'v', { path: 'o', size: BYTES.length, updated: '2026-01-01T00:00:00.000Z' }, target),
    async [Symbol.asyncDispose]() {
      storage[Symbol.dispose]();
      await server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('what came is compared with what the server says it is', async () => {
  await using fixture = await setup(() => ({ bytes: BYTES, digest: digestOf(BYTES) }));
  await fixture.download();
  expect(readFileSync(fixture.target).equals(BYTES)).toBe(true);
  expect(fixture.wanted).toEqual(['sha-256=1']);
});

test('what came wrong is asked for again, and never gets the name', async () => {
  const wrong = Buffer.from(BYTES);
  wrong[17] = (wrong[17] ?? 0) ^ 1;
  await using fixture = await setup((attempt) => ({ bytes: attempt === 1 ? wrong : BYTES, digest: digestOf(BYTES) }));
  await fixture.download();
  expect([fixture.tries, readFileSync(fixture.target).equals(BYTES)]).toEqual([2, true]);

  await using broken = await setup(() => ({ bytes: wrong, digest: digestOf(BYTES) }));
  await expect(broken.download()).rejects.toThrow('checksum mismatch');
  expect(readdirSync(path.dirname(broken.target))).toEqual([]);
});

test('a store that says nothing is believed', async () => {
  await using fixture = await setup(() => ({ bytes: BYTES }));
  await fixture.download();
  expect(readFileSync(fixture.target).equals(BYTES)).toBe(true);
});

// Fails when the target is not looked at: a download to /dev/stdout, by root, took the device from every program of the machine.
test('a device is not replaced by a file', async () => {
  await using fixture = await setup(() => ({ bytes: BYTES }));
  mkdirSync(path.dirname(fixture.target));
  symlinkSync('/dev/null', fixture.target);
  await expect(fixture.download()).rejects.toThrow(`${fixture.target} is not a file. Name a file to write.`);
  expect(readlinkSync(fixture.target)).toBe('/dev/null');
});
