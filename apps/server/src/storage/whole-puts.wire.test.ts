import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSystemClock } from '@berth/kit';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createStorageHarness } from './testing/storage-harness.ts';

const harness = await createStorageHarness();
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(() => {
  harness.hasVolume = true;
  harness.changes.length = 0;
});

const clock = createSystemClock();
const targetOf = (url: string) => url.slice(harness.url.length);
const read = async (path: string) => {
  const answer = await fetch(harness.sign('GET', path));
  return answer.status === 200 ? answer.text() : undefined;
};
/** A request in one piece: the storage listener serves it without Node's HTTP server. */
const requestOf = (target: string, body: string, headers = '') =>
  `PUT ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
/** Sends the parts one after another, each by itself, and returns everything that comes back. */
async function exchange(...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect({ port: harness.port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const answers = text(socket);
  for (const [index, part] of parts.entries()) {
    if (index > 0) await clock.sleep(20);
    socket.write(part);
  }
  return answers;
}
/** What differs between two answers to the same request for no reason of the server. */
const plain = (answer: string) =>
  answer.replace(/req_\w+/g, 'req').replace(/\r\n(?:Date|ETag|Keep-Alive|Connection|Vary): [^\r]*/g, '');
const headersOf = (answer: string) => plain(answer).split('\r\n').sort();
const sha = (body: string) => createHash('sha256').update(body).digest('base64');
const close = 'Connection: close\r\n';

// Fails when one of the two ways of a PUT checks less than the other, or answers otherwise.
test.each<[string, string, () => string, string]>([
  ['an object', '200', () => harness.sign('PUT', 'same/a'), ''],
  ['a right digest', '200', () => harness.sign('PUT', 'same/b'), `x-amz-checksum-sha256: ${sha('hello')}\r\n`],
  ['a wrong digest', '400', () => harness.sign('PUT', 'same/c'), `x-amz-checksum-sha256: ${sha('other')}\r\n`],
  ['a wrong MD5', '400', () => harness.sign('PUT', 'same/c'), 'Content-MD5: XUFAKrxLKna5cZ2REBfFkh==\r\n'],
  ['a part', '400', () => harness.sign('PUT', 'same/c'), 'Content-Range: bytes 0-4/9\r\n'],
  ['a coding', '400', () => harness.sign('PUT', 'same/c'), 'Content-Encoding: gzip\r\n'],
  ['a condition that is not met', '412', () => harness.sign('PUT', 'same/c'), 'If-Match: *\r\n'],
  ['a condition of two headers', '400', () => harness.sign('PUT', 'same/c'), 'If-Match: *\r\nIf-None-Match: *\r\n'],
  ['a path through an object', '409', () => harness.sign('PUT', 'in-the-way/c'), ''],
  ['a URL to download', '403', () => harness.sign('GET', 'same/c'), ''],
  ['an expired URL', '403', () => harness.sign('PUT', 'same/c', { expiresInMs: -2_000 }), ''],
  ['no signature', '403', () => `${harness.url}/v1/objects/acc_1/data.1/same/c`, ''],
  ['another path than the signed one', '403', () => harness.sign('PUT', 'same/x').replace('same', 'other'), ''],
  ['a signed way out of the volume', '403', () => harness.sign('PUT', '../data.2/c'), ''],
  ['an escaped way out', '403', () => harness.sign('PUT', 'same/c').replace('same', '%2e%2e'), ''],
  ['an escape that is no text', '404', () => harness.sign('PUT', 'same/c').replace('same', '%ff'), ''],
])('%s: %s, in one piece as in two', async (_name, status, sign, headers) => {
  await exchange(requestOf(targetOf(harness.sign('PUT', 'in-the-way')), 'x', close));
  const request = requestOf(targetOf(sign()), 'hello', `${headers}${close}`);
  const whole = await exchange(request);
  const half = request.length - 2;
  const streamed = await exchange(request.slice(0, half), request.slice(half));
  expect(whole.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  expect(headersOf(whole)).toEqual(headersOf(streamed));
  expect(await read('same/c')).toBeUndefined();
});

test('requests that arrive together are stored one after another, each with its own bytes', async () => {
  const bodies = ['', 'one', `PUT /v1/objects/acc_1/data.1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`, 'a'.repeat(5_000)];
  const requests = bodies.map((body, index) => requestOf(targetOf(harness.sign('PUT', `many/${index}`)), body));
  const last = requestOf(targetOf(harness.sign('PUT', 'many/last')), 'last', close);
  const answers = await exchange([...requests, last].join(''));
  expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(5);
  for (const [index, body] of bodies.entries()) expect(await read(`many/${index}`)).toBe(body);
  expect(await read('many/last')).toBe('last');
  expect(harness.changes).toHaveLength(5);
});

test('a connection goes on with Node’s server after a body in pieces, and keeps what it stored', async () => {
  const [first, second, third] = ['pieces/1', 'pieces/2', 'pieces/3'].map((path) =>
    targetOf(harness.sign('PUT', path)),
  );
  const large = 'b'.repeat(200_000);
  const answers = await exchange(
    requestOf(first ?? '', 'one'),
    requestOf(second ?? '', large),
    requestOf(third ?? '', 'three', close),
  );
  expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
  expect(await read('pieces/2')).toBe(large);
  expect(await read('pieces/3')).toBe('three');
});

test('a body that ends early is not stored', async () => {
  const socket = connect(harness.port, '127.0.0.1');
  socket.write(requestOf(targetOf(harness.sign('PUT', 'early')), 'hello').slice(0, -1));
  await clock.sleep(20);
  socket.destroy();
  await clock.sleep(20);
  expect(await read('early')).toBeUndefined();
  expect(harness.changes).toEqual([]);
});

test('a deleted volume takes nothing', async () => {
  harness.hasVolume = false;
  const answer = await exchange(requestOf(targetOf(harness.sign('PUT', 'gone/x')), 'x', close));
  expect(answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*The volume was deleted/);
});
