import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createStorageHarness } from './testing/storage-harness.ts';

const harness = await createStorageHarness();
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(() => {
  harness.hasVolume = true;
  harness.changes.length = 0;
  harness.logged.length = 0;
});

const put = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(harness.sign('PUT', path), { method: 'PUT', body, headers });
const get = (path: string, headers: Record<string, string> = {}) => fetch(harness.sign('GET', path), { headers });
/** Sends bytes as they are and answers all that came back. */
async function exchange(wire: string): Promise<string> {
  const socket = connect(harness.port, '127.0.0.1');
  socket.write(wire);
  return text(socket);
}
const targetOf = (url: string) => url.slice(harness.url.length);
const digest = (name: string, content: string) => createHash(name).update(content).digest('base64');

describe('PUT', () => {
  test('stores the bytes and tells what changed', async () => {
    const first = await put('put/a', 'hello');
    expect([first.status, await first.text()]).toEqual([200, '']);
    expect(first.headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(first.headers.get('x-request-id')).toMatch(/^req_/);
    await put('put/a', 'hello again');
    expect(harness.changes).toEqual([
      { sizeBytes: 5, objectCount: 1 },
      { sizeBytes: 6, objectCount: 0 },
    ]);
    expect(await (await get('put/a')).text()).toBe('hello again');
    await put('put/empty', '');
    const empty = await get('put/empty');
    expect([empty.status, empty.headers.get('content-length'), await empty.text()]).toEqual([200, '0', '']);
  });

  test('digests are checked', async () => {
    const right = { 'Content-MD5': digest('md5', 'x'), 'x-amz-checksum-sha256': digest('sha256', 'x') };
    expect((await put('put/d', 'x', right)).status).toBe(200);
    for (const headers of [
      { 'Content-MD5': digest('md5', 'y') },
      { 'x-amz-checksum-sha256': digest('sha256', 'y') },
      { 'Content-MD5': 'short' },
      { 'x-amz-checksum-sha256': `${digest('sha256', 'x')}A` },
      { 'Content-Range': 'bytes 0-0/2' },
      { 'Content-Encoding': 'gzip' },
    ] as Record<string, string>[]) {
      const answer = await put('put/wrong', 'x', headers);
      expect([headers, answer.status]).toEqual([headers, 400]);
      expect(typeof ((await answer.json()) as { detail: unknown }).detail).toBe('string');
    }
    expect((await get('put/wrong')).status).toBe(404);
  });

  test('takes conditions', async () => {
    const first = await put('put/c', 'one', { 'If-None-Match': '*' });
    expect((await put('put/c', 'two', { 'If-None-Match': '*' })).status).toBe(412);
    expect((await put('put/c', 'two', { 'If-Match': '"other"' })).status).toBe(412);
    expect((await put('put/c', 'two', { 'If-None-Match': '"a"' })).status).toBe(400);
    expect((await put('put/c', 'two', { 'If-Match': first.headers.get('etag') ?? '' })).status).toBe(200);
    expect((await put('put/none', 'x', { 'If-Match': '*' })).status).toBe(412);
  });

  test('a path that leads through an object, or names a folder, is 409', async () => {
    await put('put/file', 'x');
    expect((await put('put/file/below', 'x')).status).toBe(409);
    expect((await put('put', 'x')).status).toBe(409);
  });

  test.each(['with a length', 'in chunks'])('a client that goes away at 99 % leaves nothing: %s', async (kind) => {
    const path = `gone/${kind}`;
    const socket = connect(harness.port, '127.0.0.1');
    const isChunked = kind === 'in chunks';
    const framing = isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 1000000';
    socket.write(`PUT ${targetOf(harness.sign('PUT', path))} HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
    socket.write(isChunked ? `${(990_000).toString(16)}\r\n` : '');
    socket.write(Buffer.alloc(990_000));
    await expect.poll(() => harness.incoming().length).toBe(1);
    socket.destroy();
    await expect.poll(() => harness.incoming()).toEqual([]);
    expect((await get(path)).status).toBe(404);
    expect(harness.changes).toEqual([]);
  });

  test('of two writers the one that ends last wins whole', async () => {
    const texts = ['a'.repeat(300_000), 'b'.repeat(300_000)];
    await Promise.all(texts.map((content) => put('put/race', content)));
    expect(texts).toContain(await (await get('put/race')).text());
  });

  test('one that may not send is told before it has sent', async () => {
    const answer = await exchange(
      'PUT /v1/objects/acc_1/data.1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).not.toContain('100 Continue');
  });

  test('one that sends all the same can read why not', async () => {
    const socket = connect(harness.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('PUT /v1/objects/acc_1/data.1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n');
    const answer = text(socket);
    for (let sent = 0; sent < 5_000_000; sent += 500_000) {
      if (!socket.write(Buffer.alloc(500_000))) await once(socket, 'drain');
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*"detail"/);
  });
});

describe('GET and HEAD', () => {
  test('send the whole with its type, and nothing that runs', async () => {
    await put('get/page.html', '<script>');
    const answer = await get('get/page.html');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': '8',
      'accept-ranges': 'bytes',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    expect(await answer.text()).toBe('<script>');
    const head = await fetch(harness.sign('GET', 'get/page.html'), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '8', '']);
    expect(head.headers.get('etag')).toBe(answer.headers.get('etag'));
  });

  test('ranges: one, several, none', async () => {
    await put('get/r', '0123456789');
    const one = await get('get/r', { Range: 'bytes=2-4' });
    expect([one.status, one.headers.get('content-range'), one.headers.get('content-length'), await one.text()]).toEqual(
      [206, 'bytes 2-4/10', '3', '234'],
    );
    const several = await get('get/r', { Range: 'bytes=0-1,-2' });
    const boundary = /boundary=(\w+)/.exec(several.headers.get('content-type') ?? '')?.[1];
    const body = await several.text();
    expect(Number(several.headers.get('content-length'))).toBe(Buffer.byteLength(body));
    expect(body.split(`--${boundary}`).map((part) => part.trim())).toEqual([
      '',
      'Content-Type: application/octet-stream\r\nContent-Range: bytes 0-1/10\r\n\r\n01',
      'Content-Type: application/octet-stream\r\nContent-Range: bytes 8-9/10\r\n\r\n89',
      '--',
    ]);
    const none = await get('get/r', { Range: 'bytes=10-' });
    expect([none.status, none.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    expect((await get('get/r', { Range: 'bytes=0-1', 'If-Range': '"old"' })).status).toBe(200);
  });

  test('the digest of the whole comes when it is asked for, with ranges too', async () => {
    await put('get/digest', 'hello');
    const whole = `sha-256=:${digest('sha256', 'hello')}:`;
    for (const wanted of ['sha-256=1', 'sha-512=2, sha-256=10', 'sha-256']) {
      const answer = await get('get/digest', { 'Want-Repr-Digest': wanted });
      expect([answer.headers.get('repr-digest'), await answer.text()]).toEqual([whole, 'hello']);
    }
    const ranged = await get('get/digest', { 'Want-Repr-Digest': 'sha-256=1', Range: 'bytes=3-' });
    expect([ranged.status, ranged.headers.get('repr-digest'), await ranged.text()]).toEqual([206, whole, 'lo']);
    for (const unwanted of [undefined, 'sha-256=0', 'sha-512=1', 'not-sha-256=1']) {
      const answer = await get('get/digest', unwanted === undefined ? {} : { 'Want-Repr-Digest': unwanted });
      expect(answer.headers.get('repr-digest')).toBeNull();
      await answer.text();
    }
  });

  test('conditions: 304 has no body, 412 says why', async () => {
    const etag = (await put('get/c', 'x')).headers.get('etag') ?? '';
    const unchanged = await get('get/c', { 'If-None-Match': etag });
    expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await get('get/c', { 'If-Match': '"other"' })).status).toBe(412);
  });

  test('a reader that goes away in the middle hurts nobody', async () => {
    await put('get/large', 'x'.repeat(8_000_000));
    for (let index = 0; index < 3; index++) {
      const socket = connect(harness.port, '127.0.0.1');
      socket.write(`GET ${targetOf(harness.sign('GET', 'get/large'))} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await once(socket, 'data');
      socket.destroy();
    }
    expect((await (await get('get/large')).arrayBuffer()).byteLength).toBe(8_000_000);
  });
});

describe('signatures', () => {
  test('are for one method, one path, one volume, one time', async () => {
    await put('sign/a', 'secret');
    const good = harness.sign('GET', 'sign/a');
    const answers = {
      'other method': await fetch(good, { method: 'PUT', body: 'x' }),
      'read with a URL to write': await fetch(harness.sign('PUT', 'sign/a')),
      'other path': await fetch(good.replace('sign/a', 'sign/b')),
      'other volume': await fetch(good.replace('data.1', 'data.2')),
      'other account': await fetch(good.replace('acc_1', 'acc_2')),
      'later expiry': await fetch(good.replace(/expires=\d+/, 'expires=9999999999')),
      'no signature': await fetch(good.replace(/&signature=.*/, '')),
      'two signatures': await fetch(`${good}&signature=x`),
      'altered signature': await fetch(`${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`),
      expired: await fetch(harness.sign('GET', 'sign/a', { expiresInMs: -1_500 })),
      'a credential in place of it': await fetch(good.split('?')[0] ?? '', { headers: { 'X-API-Key': 'x' } }),
    };
    for (const [what, answer] of Object.entries(answers)) {
      expect([what, answer.status, (await answer.text()).includes('secret')]).toEqual([what, 403, false]);
    }
    expect(await (await get('sign/a')).text()).toBe('secret');
  });

  test('never reach the log', async () => {
    const bad = `${harness.sign('GET', 'sign/a')}tail`;
    await fetch(bad);
    await fetch(harness.sign('GET', 'sign/missing'));
    await fetch(harness.sign('GET', 'sign/a', { expiresInMs: -1_500 }));
    expect(harness.logged.length).toBeGreaterThanOrEqual(3);
    expect(harness.logged.join()).toContain('signature=REDACTED');
    expect(harness.logged.join()).not.toMatch(/(?:signature|key)=(?!REDACTED)/);
  });

  test('of a volume that was deleted lead nowhere', async () => {
    await put('sign/d', 'x');
    harness.hasVolume = false;
    expect((await get('sign/d')).status).toBe(404);
    expect((await put('sign/d', 'y')).status).toBe(404);
  });

  test.each([
    '../../etc/passwd',
    '..%2f..%2fetc/passwd',
    '%2e%2e/x',
    'a/../../x',
    'a//b',
    './x',
    'x%00',
    '%ff',
    'x/',
    '',
  ])('a climbing path is refused over a raw socket, whatever it is signed with: %s', async (raw) => {
    const { search } = new URL(harness.sign('GET', 'sign/a'));
    for (const method of ['GET', 'PUT']) {
      const answer = await exchange(
        `${method} /v1/objects/acc_1/data.1/${raw}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 (403|404) /);
    }
  });

  test('a path that would climb cannot be used even when it is signed', async () => {
    for (const path of ['../x', 'a/../../x', '..', 'a//b']) {
      const target = targetOf(harness.sign('PUT', path));
      const answer = await exchange(
        `PUT ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`,
      );
      expect([path, answer.slice(0, 12)]).toEqual([path, 'HTTP/1.1 403']);
    }
  });

  test('an encoded dot is a part of a name', async () => {
    expect((await put('sign/%2e%2e/x', 'literal')).status).toBe(200);
    expect(await (await get('sign/%2e%2e/x')).text()).toBe('literal');
  });
});

describe('browsers', () => {
  test('may use a URL from any page', async () => {
    const preflight = await fetch(`${harness.url}/v1/objects/acc_1/data.1/x`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-amz-checksum-sha256');
    const answer = await put('cors', 'x', { Origin: 'https://app.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toContain('ETag');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

test.each([
  ['GET', '/', 404],
  ['GET', '/v1/volume/list', 404],
  ['POST', '/v1/objects/acc_1/data.1/x', 405],
  ['DELETE', '/v1/objects/acc_1/data.1/x', 405],
  ['GET', '/v1/uploads/acc_1/data.1/x', 405],
])('%s %s is %i', async (method, path, status) => {
  const answer = await fetch(harness.url + path, { method });
  expect(answer.status).toBe(status);
  expect(answer.headers.has('allow')).toBe(status === 405);
});
