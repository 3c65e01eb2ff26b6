import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@berth/client';
import { answerJson, createScriptedServer, type Handler } from '@berth/client/testing';
import { createSystemClock } from '@berth/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { downloadFile } from './download-file.ts';
import type { RemoteObject } from './list-all-objects.ts';
import { createStorageClient } from './storage-request.ts';
import { RESUMABLE_BYTES } from './transfer-context.ts';

const SIZE = RESUMABLE_BYTES;
/** Zeros, which a sparse file has too, and an end that tells whether the right bytes came. */
const CONTENT = Buffer.concat([Buffer.alloc(SIZE - 10), Buffer.from('0123456789')]);
const DIGEST = `sha-256=:${createHash('sha256').update(CONTENT).digest('base64')}:`;
const large: RemoteObject = { path: 'o', size: SIZE, updated: '2026-01-01T00:00:00.000Z' };
const small: RemoteObject = { path: 'o', size: 1_000, updated: '2026-01-01T00:00:00.000Z' };

/** Sends what `Range` asks for, of the right object, with its digest. */
const send: Handler = ({ request, response }) => {
  const first = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const status = request.headers.range === undefined ? 200 : 206;
  response.writeHead(status, { 'Content-Length': SIZE - first, 'Repr-Digest': DIGEST }).end(CONTENT.subarray(first));
};

const gone = answerJson(404, { detail: 'It is gone.' });

/** Announces the whole, sends `bytes` and breaks the connection. */
const breakAfter =
  (sizeBytes: number, bytes: number): Handler =>
  ({ response }) => {
    response.writeHead(200, { 'Content-Length': sizeBytes });
    response.write(Buffer.alloc(bytes), () => response.destroy());
  };

async function setup() {
  const folder = await createTemporaryFolder();
  const server = await createScriptedServer({ 'GET /store': send });
  server.on('POST /v1/volume/download', answerJson(200, { url: `${server.url}/store`, method: 'GET', expires_at: '' }));
  const storage = createStorageClient();
  const target = path.join(folder.path, 'file.bin');
  let moved = 0;
  const stop = new AbortController();
  const context = {
    client: createClient({ baseUrl: server.url, credential: { apiKey: 'key-0123456789' } }),
    storage,
    clock: { ...createSystemClock(), sleep: async () => {} },
    signal: stop.signal,
    onBytes: (bytes: number) => {
      moved += bytes;
    },
  };
  return {
    server,
    target,
    stop,
    download: (object = large) => downloadFile(context, 'v', object, target),
    /** All files in the folder, partial downloads among them. */
    files: () => readdirSync(folder.path),
    at: (name: string) => path.join(folder.path, name),
    ranges: () =>
      server.headers.flatMap(({ range }, index) => (server.requests[index] === 'GET /store' ? [range ?? 'all'] : [])),
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

let fixture: Awaited<ReturnType<typeof setup>>;
beforeEach(async () => {
  fixture = await setup();
  return () => fixture[Symbol.asyncDispose]();
});

/** Runs a download that breaks off, and returns the path of what is left of it. */
async function breakOff(object = large): Promise<string> {
  fixture.server.on('GET /store', breakAfter(object.size, 100));
  await expect(fixture.download(object)).rejects.toThrow('The download of o broke off');
  fixture.server.on('GET /store', send);
  return fixture.at(fixture.files().find((name) => name.endsWith('.berth-part')) ?? 'none');
}

describe('a large download that broke off', () => {
  test('goes on at its last byte in a later run, and arrives whole', async () => {
    const part = await breakOff();
    truncateSync(part, SIZE - 10);
    const before = fixture.moved;
    await fixture.download();
    // Fails when the range begins anywhere else: bytes would be missing or doubled.
    expect(fixture.ranges().at(-1)).toBe(`bytes=${SIZE - 10}-`);
    expect(readFileSync(fixture.target).equals(CONTENT)).toBe(true);
    // Fails when only the bytes of this run are counted: the progress would stop short of the end.
    expect(fixture.moved - before).toBe(SIZE);
    expect(statSync(fixture.target).mtime.toISOString()).toBe(large.updated);
    expect(fixture.files()).toEqual(['file.bin']);
  });

  test('begins anew where the store ignores ranges', async () => {
    const part = await breakOff();
    truncateSync(part, 1_000);
    fixture.server.on('GET /store', ({ response }) => void response.writeHead(200).end(CONTENT));
    await fixture.download();
    // Fails when the status isn't looked at: the whole object would follow the first 1,000 bytes.
    expect(fixture.ranges().at(-1)).toBe('bytes=1000-');
    expect(readFileSync(fixture.target).equals(CONTENT)).toBe(true);
  });

  test('is not believed to be whole because it is long enough', async () => {
    truncateSync(await breakOff(), SIZE);
    fixture.server.on('GET /store', (exchange) =>
      (exchange.request.headers.range === undefined ? gone : send)(exchange),
    );
    await expect(fixture.download()).rejects.toThrow('It is gone.');
    // Fails when a part of the full length skips the request that brings the digest: this one holds zeros where the end should be.
    expect(fixture.ranges().slice(-2)).toEqual([`bytes=${SIZE - 1}-`, 'all']);
    expect(fixture.files()).toEqual([]);
  });

  test('that is longer than the object begins anew', async () => {
    truncateSync(await breakOff(), SIZE + 1);
    fixture.server.on('GET /store', gone);
    await expect(fixture.download()).rejects.toThrow('It is gone.');
    expect(fixture.ranges().at(-1)).toBe('all');
  });

  test('of another version of the object is left alone', async () => {
    truncateSync(await breakOff({ ...large, updated: '2025-12-31T00:00:00.000Z' }), 100);
    fixture.server.on('GET /store', gone);
    await expect(fixture.download()).rejects.toThrow('It is gone.');
    // Fails when the version isn't part of the name: two versions would be mixed in one file.
    expect(fixture.ranges().at(-1)).toBe('all');
    expect(fixture.files()).toHaveLength(1);
  });

  test('at Ctrl-C throws its reason and keeps what came', async () => {
    fixture.server.on('GET /store', ({ response }) => {
      response.writeHead(200, { 'Content-Length': SIZE }).write(Buffer.alloc(100));
    });
    const download = fixture.download();
    download.catch(() => {});
    await expect.poll(() => fixture.files().map((name) => statSync(fixture.at(name)).size)).toEqual([100]);
    fixture.stop.abort(new Error('enough'));
    await expect(download).rejects.toThrow('enough');
    expect([fixture.files().length, fixture.ranges().length]).toEqual([1, 1]);
  });
});

describe('a download that fails', () => {
  test('leaves the file that was there as it was', async () => {
    writeFileSync(fixture.target, 'before');
    await breakOff();
    // Fails when the download is written to the target itself.
    expect(readFileSync(fixture.target, 'utf8')).toBe('before');
  });

  test('and is small leaves nothing', async () => {
    await breakOff(small);
    // Fails when the part of a small one is kept, which no later run uses.
    expect(fixture.files()).toEqual([]);
    expect(fixture.ranges()).toHaveLength(6);
  });

  test.each([
    ['fewer', 10],
    ['more', 2_000],
  ])('because %s bytes came than were listed says so, and writes nothing', async (_how, bytes) => {
    fixture.server.on('GET /store', ({ response }) => void response.end(Buffer.alloc(bytes)));
    await expect(fixture.download(small)).rejects.toThrow(
      `${bytes} of 1000 bytes received: the object changed during the download`,
    );
    expect(fixture.files()).toEqual([]);
  });

  test('because the object is gone is not tried again', async () => {
    fixture.server.on('GET /store', gone);
    await expect(fixture.download(small)).rejects.toMatchObject({ code: 'not_found', message: 'It is gone.' });
    expect(fixture.ranges()).toHaveLength(1);
  });
});

test('an empty object is an empty file', async () => {
  fixture.server.on('GET /store', ({ response }) => void response.end());
  await fixture.download({ ...small, size: 0 });
  expect(readFileSync(fixture.target, 'utf8')).toBe('');
});
