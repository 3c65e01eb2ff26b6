import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@berth/client';
import { answerJson, createScriptedServer, type Exchange } from '@berth/client/testing';
import { createSystemClock } from '@berth/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createStorageClient } from './storage-request.ts';
import { RESUMABLE_BYTES } from './transfer-context.ts';
import { createUploadJournal } from './upload-journal.ts';
import { uploadResumable } from './upload-resumable.ts';

const SIZE = RESUMABLE_BYTES;
const END = Buffer.from('0123456789');

/** A store with tus uploads that already has all but the last ten bytes of each, so that little is sent. */
async function setup() {
  const folder = await createTemporaryFolder();
  const absolute = path.join(folder.path, 'file.bin');
  writeFileSync(absolute, '');
  truncateSync(absolute, SIZE - END.length);
  writeFileSync(absolute, END, { flag: 'a' });
  const server = await createScriptedServer();
  const sent: Buffer[] = [];
  let begun = 0;
  server.on('POST /v1/volume/upload', answerJson(200, { url: `${server.url}/store`, method: 'POST', expires_at: '' }));
  server.on('POST /store', ({ response }) => void response.writeHead(201, { Location: `part-${++begun}` }).end());
  server.on('HEAD /part-*', offset(SIZE - END.length));
  server.on('PATCH /part-*', async (exchange) => {
    sent.push(await exchange.body());
    exchange.response.writeHead(204).end();
  });
  // What is stored is compared in another test.
  server.on('POST /v1/volume/download', answerJson(404, { detail: 'Not compared here.' }));
  const storage = createStorageClient();
  const uploads = path.join(folder.path, 'uploads');
  const context = {
    client: createClient({ baseUrl: server.url, credential: { apiKey: 'key-0123456789' } }),
    storage,
    journal: createUploadJournal(uploads),
    clock: { ...createSystemClock(), sleep: async () => {} },
    signal: new AbortController().signal,
    onBytes: () => {},
  };
  const file = { path: 'file.bin', absolute, sizeBytes: SIZE, modifiedAtMs: 1 };
  const identity = { server: server.url, volume: 'v', object: 'o', file: absolute, sizeBytes: SIZE, modifiedAtMs: 1 };
  return {
    server,
    sent,
    journal: context.journal,
    uploads,
    identity,
    upload: (object = 'o', more = {}) => uploadResumable(context, 'v', object, { ...file, ...more }),
    /** The journal's only file. */
    entry: () => path.join(uploads, readdirSync(uploads)[0] ?? 'none'),
    asked: (start: string) => server.requests.filter((line) => line.startsWith(start)),
    async [Symbol.asyncDispose]() {
      storage[Symbol.dispose]();
      await server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function offset(bytes: number | string) {
  return ({ response }: Exchange) => void response.writeHead(200, { 'Upload-Offset': bytes }).end();
}

let fixture: Awaited<ReturnType<typeof setup>>;
beforeEach(async () => {
  fixture = await setup();
  return () => fixture[Symbol.asyncDispose]();
});

/** Leaves an unfinished upload behind: the server goes away when it has begun. */
async function leaveUnfinished(): Promise<void> {
  fixture.server.on('PATCH /part-*', ({ request }) => void request.socket.destroy());
  await expect(fixture.upload()).rejects.toMatchObject({ code: 'unavailable' });
  fixture.server.on('PATCH /part-*', async (exchange) => {
    fixture.sent.push(await exchange.body());
    exchange.response.writeHead(204).end();
  });
}

describe('an upload that an earlier run began', () => {
  test('goes on where the server stands, without another one', async () => {
    await leaveUnfinished();
    await expect(fixture.upload()).rejects.toThrow('Not compared here.');
    // Fails when the journal isn't asked: every run would begin again.
    expect(fixture.asked('POST /store')).toHaveLength(1);
    // Fails when the rest begins anywhere but at the server's offset.
    expect(fixture.sent.map(String)).toEqual([END.toString()]);
    expect(fixture.server.headers.at(-2)).toMatchObject({
      'upload-offset': String(SIZE - END.length),
      'content-length': String(END.length),
      'tus-resumable': '1.0.0',
    });
    expect(readdirSync(fixture.uploads)).toEqual([]);
  });

  test('and the server no longer has begins anew', async () => {
    await leaveUnfinished();
    fixture.server.on('HEAD /part-1', answerJson(404, {}));
    fixture.server.on('PATCH /part-2', ({ response }) => void response.writeHead(413).end());
    await expect(fixture.upload()).rejects.toThrow();
    // Fails when a 404 ends the upload instead of beginning another.
    expect(fixture.asked('POST /store')).toHaveLength(2);
    expect(readFileSync(fixture.entry(), 'utf8')).toBe(`${fixture.server.url}/part-2\n`);
  });

  // Fails when `find` answers what the file holds: `new URL` would throw at each run, until the file is deleted by hand.
  test.each(['', 'http', '/part-1', '\0\0\0'])('and whose journal holds %j begins anew', async (text) => {
    await leaveUnfinished();
    writeFileSync(fixture.entry(), text);
    fixture.server.on('POST /store', answerJson(507, { detail: 'The disk is full.' }));
    await expect(fixture.upload()).rejects.toMatchObject({ code: 'insufficient_storage' });
  });

  test('of a file that was changed since is not gone on with', async () => {
    await leaveUnfinished();
    const before = fixture.asked('HEAD').length;
    fixture.server.on('POST /store', answerJson(507, { detail: 'The disk is full.' }));
    // Fails when the time isn't part of the identity: halves of two versions would be put together.
    await expect(fixture.upload('o', { modifiedAtMs: 2 })).rejects.toMatchObject({ code: 'insufficient_storage' });
    await expect(fixture.upload('other')).rejects.toMatchObject({ code: 'insufficient_storage' });
    expect(fixture.asked('HEAD')).toHaveLength(before);
  });

  test('stays in the journal while the server is away', async () => {
    await leaveUnfinished();
    fixture.server.on('HEAD /part-1', answerJson(503, {}));
    await expect(fixture.upload()).rejects.toMatchObject({ code: 'unavailable' });
    // Fails when every error of HEAD counts as "no longer there": a restart would cost all that was sent.
    expect(fixture.asked('POST /store')).toHaveLength(1);
    expect(await fixture.journal.find(fixture.identity)).toBe(`${fixture.server.url}/part-1`);
  });

  test('and is complete sends nothing more', async () => {
    await leaveUnfinished();
    const before = fixture.asked('PATCH').length;
    fixture.server.on('HEAD /part-1', offset(SIZE));
    await expect(fixture.upload()).rejects.toThrow('Not compared here.');
    expect(fixture.asked('PATCH')).toHaveLength(before);
  });
});

// Fails when `Number(undefined)` is taken for a place in the file: nothing would be sent, and the journal forgotten.
test.each(['', 'many', '-1', String(SIZE + 1)])('an upload whose offset is %j begins anew', async (text) => {
  await leaveUnfinished();
  fixture.server.on('HEAD /part-1', offset(text));
  fixture.server.on('POST /store', answerJson(507, { detail: 'The disk is full.' }));
  await expect(fixture.upload()).rejects.toMatchObject({ code: 'insufficient_storage' });
});

describe('the journal', () => {
  const URL_WITH_SECRET = 'https://store.test/part?signature=secret';

  test('is its owner’s alone, also where an earlier file was not', async () => {
    await fixture.journal.keep(fixture.identity, URL_WITH_SECRET);
    expect(statSync(fixture.uploads).mode & 0o777).toBe(0o700);
    chmodSync(fixture.entry(), 0o644);
    await fixture.journal.keep(fixture.identity, URL_WITH_SECRET);
    // Fails when the file is written over instead of replaced.
    expect(statSync(fixture.entry()).mode & 0o777).toBe(0o600);
  });

  test('names no server, file or object', async () => {
    await fixture.journal.keep(fixture.identity, URL_WITH_SECRET);
    expect(readdirSync(fixture.uploads)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  // Fails when one of these isn't part of the identity: bytes of one upload would go to another.
  test.each([
    { server: 'https://other.test' },
    { volume: 'w' },
    { object: 'p' },
    { file: '/other' },
    { sizeBytes: 1 },
    { modifiedAtMs: 2 },
  ])('has nothing for %j', async (difference) => {
    await fixture.journal.keep(fixture.identity, URL_WITH_SECRET);
    expect(await fixture.journal.find({ ...fixture.identity, ...difference })).toBeUndefined();
    await fixture.journal.forget({ ...fixture.identity, ...difference });
    expect(await fixture.journal.find(fixture.identity)).toBe(URL_WITH_SECRET);
    await fixture.journal.forget(fixture.identity);
    await fixture.journal.forget(fixture.identity);
    expect(readdirSync(fixture.uploads)).toEqual([]);
  });

  test('that can’t be read is empty', async () => {
    mkdirSync(path.join(fixture.uploads), { recursive: true });
    expect(await createUploadJournal('/dev/null').find(fixture.identity)).toBeUndefined();
    await fixture.journal.keep(fixture.identity, URL_WITH_SECRET);
    const file = fixture.entry();
    await fixture.journal.forget(fixture.identity);
    mkdirSync(file);
    expect(await fixture.journal.find(fixture.identity)).toBeUndefined();
  });
});
