import { text } from 'node:stream/consumers';
import { answerJson, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { BerthError } from '@berth/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { createStorageClient, type StorageClient } from './storage-request.ts';

let server: ScriptedServer;
let storage: StorageClient;
beforeEach(async () => {
  server = await createScriptedServer();
  storage = createStorageClient();
  return async () => {
    storage[Symbol.dispose]();
    await server.close();
  };
});

const { signal } = new AbortController();
const get = (path = '/a') => storage.send({ method: 'GET', url: server.url + path, signal });

async function failure(work: Promise<unknown>): Promise<BerthError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!BerthError.is(error)) throw error;
  return error;
}

// Fails when a status has another code, or is retried although it will not change, or not retried although it may.
test.each([
  [400, 'bad_request', false],
  [403, 'forbidden', false],
  [404, 'not_found', false],
  [408, 'bad_request', true],
  [409, 'conflict', false],
  [412, 'conflict', false],
  [416, 'bad_request', false],
  [429, 'bad_request', true],
  [500, 'unavailable', true],
  [503, 'unavailable', true],
  [507, 'insufficient_storage', false],
])('%i is %s', async (status, code, isRetryable) => {
  server.on('GET /a', answerJson(status, { detail: 'No.' }));
  expect(await failure(get())).toMatchObject({ code, status, isRetryable, message: 'No.' });
});

test('a redirect is refused: a signed URL is not handed on', async () => {
  server.on('GET /a', ({ response }) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/b' }).end());
  expect(await failure(get())).toMatchObject({ code: 'bad_request', message: 'The storage answered 302.' });
});

describe('the sentence of a refusal', () => {
  const sentenceOf = async (body: string) => {
    server.on('GET /a', ({ response }) => void response.writeHead(403).end(body));
    return (await failure(get())).message;
  };

  test('is that of JSON, of plain text, or the status', async () => {
    expect(await sentenceOf('{"detail":"Not yours."}')).toBe('Not yours.');
    expect(await sentenceOf(' The offset is wrong.\n')).toBe('The offset is wrong.');
    expect(await sentenceOf('')).toBe('The storage answered 403.');
    expect(await sentenceOf('{"detail":{"a":1}}')).toBe('{"detail":{"a":1}}');
  });

  test('is cut: a store may answer with a page', async () => {
    expect(await sentenceOf(`<Error>${'x'.repeat(9_000)}`)).toHaveLength(500);
    expect(await sentenceOf(JSON.stringify({ detail: 'x'.repeat(9_000) }))).toHaveLength(500);
  });
});

test('a refusal that comes before the whole body is read as one', async () => {
  server.on('PUT /a', answerJson(507, { detail: 'The disk is full.' }, { connection: 'close' }));
  async function* body() {
    for (let count = 0; count < 400; count++) yield Buffer.alloc(65_536);
  }
  const headers = { 'Content-Length': String(400 * 65_536) };
  const put = storage.send({ method: 'PUT', url: `${server.url}/a`, headers, body: body(), signal });
  // Fails when the broken pipe of the body is thrown in place of the answer.
  expect(await failure(put)).toMatchObject({ code: 'insufficient_storage', message: 'The disk is full.' });
});

test('a body that fails fails the request, which is not left open', async () => {
  const { promise: isCut, resolve } = Promise.withResolvers<void>();
  const { promise: isBegun, resolve: begin } = Promise.withResolvers<unknown>();
  server.on('PUT /a', ({ request }) => {
    request.on('error', () => {});
    request.once('close', resolve);
    request.once('data', begin);
  });
  async function* body() {
    yield Buffer.alloc(10);
    await isBegun;
    throw new Error('a.bin was truncated while it was read');
  }
  const headers = { 'Content-Length': '1000' };
  const put = storage.send({ method: 'PUT', url: `${server.url}/a`, headers, body: body(), signal });
  expect(await failure(put)).toMatchObject({
    code: 'unavailable',
    message: 'The transfer failed: a.bin was truncated while it was read',
  });
  await isCut;
});

test('a connection that breaks is retryable; an abort throws its reason', async () => {
  server.on('GET /a', ({ response }) => void response.destroy());
  expect(await failure(get())).toMatchObject({ code: 'unavailable', isRetryable: true });
  const stop = new AbortController();
  server.on('GET /b', () => stop.abort(new Error('enough')));
  const call = storage.send({ method: 'GET', url: `${server.url}/b`, signal: stop.signal });
  // Fails when the abort becomes `unavailable`: Ctrl-C would be followed by five more tries.
  await expect(call).rejects.toThrow('enough');
});

test('connections are kept for the next request, and closed at the end', async () => {
  const sockets = new Set<unknown>();
  server.on('GET /a', ({ request, response }) => {
    sockets.add(request.socket);
    response.end('ok');
  });
  for (let count = 0; count < 3; count++) expect(await text((await get()).body)).toBe('ok');
  // Fails when each request opens a connection of its own, which costs three round trips with TLS.
  expect(sockets.size).toBe(1);
});

test('a body that fails at once fails the request too', async () => {
  server.on('PUT /a', () => {});
  // biome-ignore lint/correctness/useYield: it fails before its first byte
  async function* body(): AsyncGenerator<Buffer> {
    throw new Error('EACCES');
  }
  const headers = { 'Content-Length': '1000' };
  const put = storage.send({ method: 'PUT', url: `${server.url}/a`, headers, body: body(), signal });
  expect(await failure(put)).toMatchObject({ code: 'unavailable', message: 'The transfer failed: EACCES' });
});
