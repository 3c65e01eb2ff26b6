import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createStorageHarness } from './testing/storage-harness.ts';

const harness = await createStorageHarness();
afterAll(() => harness[Symbol.asyncDispose]());

const TUS = { 'Tus-Resumable': '1.0.0' };
const begin = (path: string, length: number, headers: Record<string, string> = {}) =>
  fetch(harness.sign('POST', path), {
    method: 'POST',
    headers: { ...TUS, 'Upload-Length': String(length), ...headers },
  });
const locationOf = (answer: Response) => answer.headers.get('location') ?? '';
const patch = (url: string, offset: number, body: string) =>
  fetch(url, {
    method: 'PATCH',
    headers: { ...TUS, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
    body,
  });
const offsetOf = async (url: string) =>
  Number((await fetch(url, { method: 'HEAD', headers: TUS })).headers.get('upload-offset'));
const read = async (path: string) => (await fetch(harness.sign('GET', path))).text();

describe('a resumable upload', () => {
  test('goes on where it stands, and becomes an object at its end', async () => {
    const created = await begin('big/file', 10);
    expect([created.status, created.headers.get('tus-resumable')]).toEqual([201, '1.0.0']);
    const url = locationOf(created);
    expect(url.startsWith(`${harness.url}/v1/uploads/acc_1/data.1/`)).toBe(true);
    expect((await patch(url, 0, 'hello')).headers.get('upload-offset')).toBe('5');
    expect(await offsetOf(url)).toBe(5);
    expect((await fetch(harness.sign('GET', 'big/file'))).status).toBe(404);
    expect((await patch(url, 3, 'xx')).status).toBe(409);
    const last = await patch(url, 5, 'world');
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '10']);
    expect(await read('big/file')).toBe('helloworld');
    expect(harness.changes).toEqual([{ sizeBytes: 10, objectCount: 1 }]);
    expect((await fetch(url, { method: 'HEAD', headers: TUS })).status).toBe(404);
  });

  test('may come with its beginning, or be empty', async () => {
    const answer = await fetch(harness.sign('POST', 'at-once'), {
      method: 'POST',
      headers: { ...TUS, 'Upload-Length': '3', 'Content-Type': 'application/offset+octet-stream' },
      body: 'abc',
    });
    expect(answer.status).toBe(201);
    expect(await read('at-once')).toBe('abc');
    expect((await begin('nothing', 0)).status).toBe(201);
    expect(await read('nothing')).toBe('');
  });

  test('is taken over from a client that says nothing any more', async () => {
    const url = locationOf(await begin('taken-over', 6));
    const stuck = connect(harness.port, '127.0.0.1');
    stuck.on('error', () => {});
    const { pathname, search } = new URL(url);
    const head = `PATCH ${pathname}${search} HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n`;
    stuck.write(`${head}Content-Type: application/offset+octet-stream\r\nContent-Length: 6\r\n\r\nabc`);
    // The one before has three seconds to bring what it has; it is kept.
    await expect.poll(() => offsetOf(url), { timeout: 20_000 }).toBe(3);
    expect((await patch(url, 3, 'def')).status).toBe(204);
    expect(await read('taken-over')).toBe('abcdef');
    stuck.destroy();
  });

  test('is given up by DELETE', async () => {
    const url = locationOf(await begin('given-up', 3));
    await patch(url, 0, 'a');
    expect((await fetch(url, { method: 'DELETE', headers: TUS })).status).toBe(204);
    expect((await patch(url, 1, 'b')).status).toBe(404);
  });

  test('that ends where nothing can be stored keeps its bytes', async () => {
    await fetch(harness.sign('PUT', 'taken'), { method: 'PUT', body: 'x' });
    const url = locationOf(await begin('taken/below', 1));
    expect((await patch(url, 0, 'y')).status).toBe(409);
    expect(await offsetOf(url)).toBe(1);
    expect(await read('taken')).toBe('x');
  });
});

describe('its URLs', () => {
  test('are signed: the one to begin for a path, the one to go on for one upload', async () => {
    const url = locationOf(await begin('signed', 3));
    const other = locationOf(await begin('other', 3));
    const id = new URL(url).pathname.split('/').at(-1) ?? '';
    const otherId = new URL(other).pathname.split('/').at(-1) ?? '';
    const attempts = {
      'no signature': await patch(url.split('?')[0] ?? '', 0, 'abc'),
      'of another upload': await patch(other.replace(otherId, id), 0, 'abc'),
      'to begin': await patch(harness.sign('POST', 'signed'), 0, 'abc'),
      'to begin elsewhere': await fetch(harness.sign('POST', 'signed').replace('signed', 'sighed'), {
        method: 'POST',
        headers: { ...TUS, 'Upload-Length': '3' },
      }),
      'of an object': await patch(harness.sign('PUT', 'signed').replace('objects', 'uploads'), 0, 'abc'),
    };
    for (const [what, answer] of Object.entries(attempts)) expect([what, answer.status]).toEqual([what, 403]);
    expect(await offsetOf(url)).toBe(0);
  });

  test('need the protocol’s own headers', async () => {
    expect((await fetch(harness.sign('POST', 'x'), { method: 'POST' })).status).toBe(412);
    expect((await begin('x', -1)).status).toBe(400);
    expect((await fetch(harness.sign('POST', 'x'), { method: 'POST', headers: TUS })).status).toBe(400);
    expect((await begin('x', Number.MAX_SAFE_INTEGER)).status).toBe(507);
  });
});
