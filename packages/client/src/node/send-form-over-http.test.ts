import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerJson, collect, createScriptedServer, deployEvent } from '../testing/index.ts';
import { createNodeClient } from './create-node-client.ts';
import { openArchive } from './open-archive.ts';

const credential = { apiKey: 'key-0123456789' };
const fields = { function_name: 'app', volumes: {} };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-client-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(sizeBytes: number): Promise<string> {
  const path = join(folder, `${sizeBytes}.tar.gz`);
  await writeFile(path, Buffer.alloc(sizeBytes, 'berth'));
  return path;
}

test('a file arrives whole, with a declared length and progress that grows to its size', async () => {
  await using server = await createScriptedServer();
  let received: Buffer | undefined;
  server.on('POST /v1/deploy', async (exchange) => {
    const part = (await exchange.form()).get('source_archive.0');
    received = part instanceof Blob ? Buffer.from(await part.arrayBuffer()) : undefined;
    exchange.response.end(deployEvent(1, 'DONE', ''));
  });
  const size = 3_000_001;
  const seen: number[] = [];
  const client = createNodeClient({ baseUrl: server.url, credential });
  const archive = await openArchive(await file(size));
  const events = await collect(client.deploy({ fields, archive }, { onProgress: (p) => seen.push(p.sentBytes) }));
  expect(events.map((event) => event.status)).toEqual(['DONE']);
  expect(received?.equals(Buffer.alloc(size, 'berth'))).toBe(true);
  expect(Number(server.headers[0]?.['content-length'])).toBeGreaterThan(size);
  expect(seen.at(-1)).toBe(size);
  expect(seen.length).toBeGreaterThan(10);
  expect([...seen].sort((a, b) => a - b)).toEqual(seen);
});

test('a form without an archive is whole too', async () => {
  await using server = await createScriptedServer();
  let names: string[] = [];
  server.on('POST /v1/deploy', async (exchange) => {
    names = [...(await exchange.form()).keys()];
    exchange.response.end(deployEvent(1, 'DONE', ''));
  });
  const client = createNodeClient({ baseUrl: server.url, credential });
  await collect(client.deploy({ fields: { ...fields, source_object: 'v/a.tar.gz' } }));
  expect(names).toEqual(['function_name', 'volumes', 'source_object']);
});

test('a refusal in the middle of the upload is heard', async () => {
  await using server = await createScriptedServer({
    'POST /v1/deploy': (exchange) => answerJson(401, { detail: 'No such key.' })(exchange),
  });
  const client = createNodeClient({ baseUrl: server.url, credential });
  const archive = await openArchive(await file(30_000_000));
  await expect(collect(client.deploy({ fields, archive }))).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a refusal before the upload costs no upload', async () => {
  let receivedBytes = 0;
  const server = createServer();
  server.on('checkContinue', (request, response) => {
    request.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
    });
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"detail":"Not yours."}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const archive = await openArchive(await file(3_000_000));
  await expect(collect(createNodeClient({ baseUrl, credential }).deploy({ fields, archive }))).rejects.toThrow(
    'Not yours.',
  );
  await new Promise((resolve) => server.close(resolve));
  expect(receivedBytes).toBe(0);
});

test('a connection that breaks in the middle of the upload says that nothing was deployed', async () => {
  await using server = await createScriptedServer({
    'POST /v1/deploy': ({ request }) => {
      request.once('data', () => request.socket.destroy());
    },
  });
  const client = createNodeClient({ baseUrl: server.url, credential });
  const archive = await openArchive(await file(30_000_000));
  await expect(collect(client.deploy({ fields, archive }))).rejects.toThrow(
    /of 30000000 uploaded bytes.*Nothing was deployed/,
  );
  expect(server.requests).toHaveLength(1);
});

test('an upload that is given up ends at once', async () => {
  const stop = new AbortController();
  await using server = await createScriptedServer({
    'POST /v1/deploy': ({ request }) => {
      request.once('data', () => stop.abort(new Error('enough')));
    },
  });
  const client = createNodeClient({ baseUrl: server.url, credential });
  const archive = await openArchive(await file(30_000_000));
  await expect(collect(client.deploy({ fields, archive }, { signal: stop.signal }))).rejects.toThrow('enough');
});

test('a server that is not there is said so', async () => {
  const server = await createScriptedServer();
  await server.close();
  const client = createNodeClient({ baseUrl: server.url, credential });
  await expect(collect(client.deploy({ fields, archive: new Blob(['x']) }))).rejects.toThrow(
    /nothing is listening there/,
  );
});

// Fails when a value is written into the form unescaped, or its length is counted in characters.
test('fields arrive as they are, whatever they hold', async () => {
  await using server = await createScriptedServer();
  let received: Record<string, unknown> = {};
  server.on('POST /v1/deploy', async (exchange) => {
    received = Object.fromEntries(await exchange.form());
    exchange.response.end(deployEvent(1, 'DONE', ''));
  });
  const odd = { schedule: '*/5 * * * *', health: '/ü?a="b"&c=\'d\'', timezone: '\u{1F600} --berth-0\n--\r\nx' };
  const client = createNodeClient({ baseUrl: server.url, credential });
  await collect(client.deploy({ fields: { ...fields, ...odd } }));
  expect(received).toEqual({ function_name: 'app', volumes: '{}', ...odd });
});

// Fails when the body waits for a 100 without a limit: a proxy that knows nothing of `Expect` would hold the upload for ever.
test('a server that never says 100 gets the body all the same', async () => {
  const server = createServer();
  server.on('checkContinue', async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.end(deployEvent(1, 'DONE', `${Buffer.concat(chunks).includes('archive')}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createNodeClient({ baseUrl, credential });
  const events = await collect(client.deploy({ fields, archive: new Blob(['archive']) }));
  expect(events.map((event) => event.message)).toEqual(['true']);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a server that closes before it answers is a lost connection, and the upload is not sent again', async () => {
  await using server = await createScriptedServer({
    'POST /v1/deploy': async ({ body, request }) => {
      await body();
      request.socket.destroy();
    },
  });
  const client = createNodeClient({ baseUrl: server.url, credential });
  // Fails when a whole upload without an answer counts as one that was not deployed: someone would deploy twice.
  await expect(collect(client.deploy({ fields, archive: new Blob(['x']) }))).rejects.toThrow(
    'The deploy may have started',
  );
  expect(server.requests).toHaveLength(1);
});
