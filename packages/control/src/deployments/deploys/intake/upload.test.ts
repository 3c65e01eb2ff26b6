import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { LIMITS } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, it } from 'vitest';
import { listen, type RawClient } from '../testing/listen.ts';
import { createPlatform, type Platform } from '../testing/platform.ts';

const MEBIBYTE = Buffer.alloc(2 ** 20, 7);
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FORM_START = `${field('function_name', 'shop')}${field('volumes', '{}')}--b\r\nContent-Disposition: form-data; name="source_archive.0"; filename="a"\r\n\r\n`;
const FORM_END = '\r\n--b--\r\n';

const head = (length: number, key = 'alice') =>
  `POST /v1/deploy HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nContent-Length: ${length}\r\n` +
  'Content-Type: multipart/form-data; boundary=b\r\n\r\n';

const formBytes = (archiveBytes: number) => FORM_START.length + archiveBytes + FORM_END.length;

/** Sends `count` bytes of an archive. */
async function sendArchive(client: RawClient, count: number): Promise<void> {
  for (let left = count; left > 0; left -= MEBIBYTE.length) await client.send(MEBIBYTE.subarray(0, left));
}

async function expectNothing({ builder, run: { db } }: Platform): Promise<void> {
  await waitUntil('nothing of the upload is left', async () => (await builder.archives()).length === 0);
  expect(await db.selectFrom('deploys').selectAll().execute()).toEqual([]);
  expect(await db.selectFrom('deployments').selectAll().execute()).toEqual([]);
}

describe('an archive', () => {
  it('may have 100 MiB', async () => {
    await using platform = await createPlatform();
    await using server = await listen((await platform.boot()).api);
    using client = await server.connect();
    await client.send(head(formBytes(LIMITS.archiveBytes)) + FORM_START);
    await sendArchive(client, LIMITS.archiveBytes);
    await client.send(FORM_END);
    await waitUntil('it is deployed', () => client.received.includes('"DONE"'));
    expect(platform.builder.requests[0]?.archive.sizeBytes).toBe(LIMITS.archiveBytes);
  });

  it('of one byte more is refused at its part, and leaves nothing', async () => {
    await using platform = await createPlatform();
    await using server = await listen((await platform.boot()).api);
    using client = await server.connect();
    await client.send(head(formBytes(LIMITS.archiveBytes + 1)) + FORM_START);
    await sendArchive(client, LIMITS.archiveBytes + 1);
    await client.send(FORM_END);
    await waitUntil('it is refused', () => client.received.includes('archive_too_large'));
    expect(client.received).toMatch(/^HTTP\/1\.1 422 /);
    expect(client.received).toContain('"loc":["body","source_archive.0"]');
    await expectNothing(platform);
  });

  it('that is endless is refused as soon as the limit is passed, while the client goes on sending', async () => {
    await using platform = await createPlatform();
    await using server = await listen((await platform.boot()).api);
    using client = await server.connect();
    await client.send(head(10 * LIMITS.archiveBytes) + FORM_START);
    let sentBytes = 0;
    while (!client.received.includes('\r\n\r\n') && sentBytes < 3 * LIMITS.archiveBytes) {
      await client.send(MEBIBYTE);
      sentBytes += MEBIBYTE.length;
    }
    expect(client.received).toMatch(/^HTTP\/1\.1 422 [\s\S]*connection: close/i);
    // What is in the buffers of the sockets is all that was sent in vain.
    expect(sentBytes).toBeLessThan(LIMITS.archiveBytes + 20 * 2 ** 20);
    await expectNothing(platform);
    // A client that only reads once it has sent all still finds the answer: the connection is not reset under it.
    for (let count = 0; count < 20; count++) await client.send(MEBIBYTE);
    platform.clock.advance(30_000);
    client.socket.end();
    expect(await client.end).toBe('ended');
    expect(client.received).toContain('archive_too_large');
  });
});

describe('an upload', () => {
  it('whose client vanishes leaves nothing', async () => {
    await using platform = await createPlatform();
    await using server = await listen((await platform.boot()).api);
    const client = await server.connect();
    await client.send(head(formBytes(50 * MEBIBYTE.length)) + FORM_START);
    await sendArchive(client, 10 * MEBIBYTE.length);
    await waitUntil('it arrives', async () => (await platform.builder.archives()).length === 1);
    client.socket.destroy();
    await expectNothing(platform);
  });

  it('that stalls is given up after a minute', async () => {
    await using platform = await createPlatform();
    await using server = await listen((await platform.boot()).api);
    using client = await server.connect();
    await client.send(head(formBytes(50 * MEBIBYTE.length)) + FORM_START);
    await sendArchive(client, MEBIBYTE.length);
    await waitUntil('it arrives', async () => (await platform.builder.archives()).length === 1);
    await platform.clock.elapse(59_000);
    expect(client.received).toBe('');
    await waitUntil('it is answered', async () => {
      // What was on its way when the clock moved starts the minute again.
      await platform.clock.elapse(61_000);
      return client.received.includes('\r\n\r\n');
    });
    expect(client.received).toMatch(/^HTTP\/1\.1 400 /);
    await expectNothing(platform);
  });

  it.each([
    ['without a good key', 'nobody', 401],
    ['with a key that may only read', 'alice-read', 403],
  ])('%s is refused at once, and the answer can be read', async (_title, key, status) => {
    await using platform = await createPlatform();
    await using server = await listen((await platform.boot()).api);
    using client = await server.connect();
    const size = 30 * MEBIBYTE.length;
    await client.send(head(formBytes(size), key) + FORM_START);
    await waitUntil('it is answered', () => client.received.includes('\r\n\r\n'));
    expect(client.received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await sendArchive(client, size);
    await client.send(FORM_END);
    expect(await client.end).toBe('ended');
    await expectNothing(platform);
  });

  it('may come over HTTP/2, and is refused there as well', async () => {
    await using platform = await createPlatform();
    const { api } = await platform.boot();
    const listener = getRequestListener(api.fetch, { overrideGlobalObjects: false });
    const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const send = async (key: string, archiveBytes: number): Promise<string> => {
      const stream = client.request({
        ':method': 'POST',
        ':path': '/v1/deploy',
        'x-api-key': key,
        'content-type': 'multipart/form-data; boundary=b',
      });
      stream.on('error', () => {});
      let answer = '';
      stream.on('response', (headers) => {
        answer += `${headers[':status']} `;
      });
      stream.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      const archive = function* () {
        yield FORM_START;
        for (let left = archiveBytes; left > 0; left -= MEBIBYTE.length) yield MEBIBYTE.subarray(0, left);
        yield FORM_END;
      };
      Readable.from(archive()).pipe(stream);
      if (!stream.closed) await once(stream, 'close');
      return answer;
    };
    expect(await send('alice-read', 3 * MEBIBYTE.length)).toMatch(/^403 .*deploy/);
    expect(await send('alice', LIMITS.archiveBytes + 1)).toMatch(/^422 .*archive_too_large/);
    await expectNothing(platform);
    expect(await send('alice', 3 * MEBIBYTE.length)).toMatch(/^200 [\s\S]*"DONE"/);
    client.close();
    server.close();
  });

  it('does not pile up in memory when the disk is slow', async () => {
    await using platform = await createPlatform();
    const gate = Promise.withResolvers<void>();
    const { receive } = platform.builder;
    platform.builder.receive = async (source, options) => {
      await gate.promise;
      return receive(source, options);
    };
    await using server = await listen((await platform.boot()).api);
    using client = await server.connect();
    const size = 60 * MEBIBYTE.length;
    await client.send(head(formBytes(size)) + FORM_START);
    const sent = sendArchive(client, size).then(() => client.send(FORM_END));
    await waitUntil('the client is held back', () => client.socket.writableLength > 0);
    // Loopback's socket buffers hold some megabytes; the rest waits in the client.
    expect(client.socket.bytesWritten - client.socket.writableLength).toBeLessThan(30 * 2 ** 20);
    gate.resolve();
    await sent;
    await waitUntil('it is deployed', () => client.received.includes('"DONE"'));
  });
});
