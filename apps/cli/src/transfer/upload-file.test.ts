import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@berth/client';
import { answerJson, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createStorageClient } from './storage-request.ts';
import { RESUMABLE_BYTES } from './transfer-context.ts';
import { uploadFile } from './upload-file.ts';
import { createUploadJournal } from './upload-journal.ts';

async function setup(sizeBytes: number) {
  const folder = await createTemporaryFolder();
  const server = await createScriptedServer();
  const storage = createStorageClient();
  const absolute = path.join(folder.path, 'file.bin');
  const bytes = randomBytes(sizeBytes);
  writeFileSync(absolute, bytes);
  const file = { path: 'file.bin', absolute, sizeBytes, modifiedAtMs: 1 };
  let moved = 0;
  const context = {
    client: createClient({ baseUrl: server.url, credential: { apiKey: 'key-0123456789' } }),
    storage,
    journal: createUploadJournal(path.join(folder.path, 'uploads')),
    // The waits between tries are not what is tested.
    clock: { ...createSystemClock(), sleep: async () => {} },
    signal: new AbortController().signal,
    onBytes: (more: number) => {
      moved += more;
    },
  };
  return {
    server,
    bytes,
    context,
    folder,
    upload: () => uploadFile(context, 'v', 'o', file),
    get moved() {
      return moved;
    },
    async [Symbol.asyncDispose]() {
      storage[Symbol.dispose]();
      await server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const signs = (server: ScriptedServer, method: string) =>
  server.on('POST /v1/volume/upload', answerJson(200, { url: `${server.url}/store`, method, expires_at: '' }));

test('a small file is one PUT with its length and checksum', async () => {
  await using fixture = await setup(10_000);
  const { server, bytes } = fixture;
  signs(server, 'PUT');
  let stored: Buffer | undefined;
  server.on('PUT /store', async (exchange) => {
    stored = await exchange.body();
    exchange.response.end();
  });
  await fixture.upload();
  expect(stored?.equals(bytes)).toBe(true);
  expect(server.headers.at(-1)).toMatchObject({
    'content-length': '10000',
    'content-md5': createHash('md5').update(bytes).digest('base64'),
  });
  expect(fixture.moved).toBe(10_000);
});

test('what breaks off is sent again, with a new URL; progress tells no byte twice', async () => {
  await using fixture = await setup(3_000_000);
  const { server, bytes } = fixture;
  signs(server, 'PUT');
  let tries = 0;
  let stored: Buffer = Buffer.alloc(0);
  server.on('PUT /store', async (exchange) => {
    if (++tries === 1) return void exchange.request.once('data', () => exchange.request.socket.destroy());
    if (tries === 2) return answerJson(503, { detail: 'Busy.' })(exchange);
    stored = await exchange.body();
    exchange.response.end();
  });
  await fixture.upload();
  expect(stored.equals(bytes)).toBe(true);
  expect(fixture.moved).toBe(3_000_000);
  expect(server.requests.filter((line) => line.startsWith('POST'))).toHaveLength(3);
});

test('what is refused is not sent again, and says why', async () => {
  await using fixture = await setup(10);
  signs(fixture.server, 'PUT');
  fixture.server.on('PUT /store', answerJson(507, { detail: 'The disk is full.' }));
  await expect(fixture.upload()).rejects.toMatchObject({ code: 'insufficient_storage', message: 'The disk is full.' });
  expect(fixture.server.requests).toHaveLength(2);
});

test('a large file goes on where the server stands, and is compared', async () => {
  await using fixture = await setup(RESUMABLE_BYTES + 5);
  const { server, bytes } = fixture;
  signs(server, 'POST');
  let stored: Buffer = Buffer.alloc(0);
  let patches = 0;
  server.on('POST /store', ({ response }) => void response.writeHead(201, { Location: '/part' }).end());
  server.on('HEAD /part', ({ response }) => void response.writeHead(200, { 'Upload-Offset': stored.length }).end());
  server.on('PATCH /part', async ({ request, response }) => {
    patches++;
    expect(Number(request.headers['upload-offset'])).toBe(stored.length);
    const kept: Buffer[] = [stored];
    for await (const chunk of request) {
      kept.push(chunk as Buffer);
      const sizeBytes = kept.reduce((sum, one) => sum + one.length, 0);
      if (patches === 1 && sizeBytes > 20_000_000) {
        stored = Buffer.concat(kept);
        request.socket.destroy();
        return;
      }
    }
    stored = Buffer.concat(kept);
    response.writeHead(204, { 'Upload-Offset': stored.length }).end();
  });
  server.on('POST /v1/volume/download', answerJson(200, { url: `${server.url}/read`, method: 'GET', expires_at: '' }));
  server.on('GET /read', ({ response }) => void response.end(stored));
  await fixture.upload();
  expect(patches).toBe(2);
  expect(stored.equals(bytes)).toBe(true);
  expect(fixture.moved).toBe(bytes.length);
  expect(readdirSync(path.join(fixture.folder.path, 'uploads'))).toEqual([]);

  // A server that keeps something else is not believed.
  server.on('GET /read', ({ response }) => void response.end(Buffer.concat([stored.subarray(1), Buffer.from('x')])));
  stored = Buffer.alloc(0);
  patches = 1;
  await expect(fixture.upload()).rejects.toThrow('does not match the file');
});

test('where the store has no such uploads it is one PUT', async () => {
  await using fixture = await setup(RESUMABLE_BYTES);
  const { server } = fixture;
  server.on('POST /v1/volume/upload', async (exchange) => {
    const { resumable } = await exchange.json();
    if (resumable) await answerJson(501, { detail: 'Not here.' })(exchange);
    else await answerJson(200, { url: `${server.url}/store`, method: 'PUT', expires_at: '' })(exchange);
  });
  let sizeBytes = 0;
  server.on('PUT /store', async (exchange) => {
    for await (const chunk of exchange.request) sizeBytes += (chunk as Buffer).length;
    exchange.response.end();
  });
  await fixture.upload();
  expect(sizeBytes).toBe(RESUMABLE_BYTES);
});
