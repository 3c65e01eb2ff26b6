import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';

let fixture: TestAgent;
beforeAll(async () => {
  fixture = await openTestAgent({ publicFolder: 'site' });
  await writeFile(path.join(fixture.dataFolder, 'outside.txt'), 'SECRET');
  for (const name of ['a.txt', 'caf%C3%A9.txt']) await fixture.call('alice', 'PUT', `/files/${name}`, 'mine');
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Sends a request line that no client would, and gives the answer as it comes. */
function raw(
  line: string,
  { body = '', headers = [] as readonly string[] } = {},
): Promise<{ status: number; text: string }> {
  const { port } = new URL(fixture.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.setTimeout(20_000, () => socket.destroy(new Error(`no answer to ${line}`)));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.once('error', reject);
    socket.once('close', () => resolve({ status: Number(text.split(' ')[1]), text }));
    const head = [
      'Host: x',
      'Authorization: Bearer alice',
      'Connection: close',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ];
    socket.write(`${line} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** Every way out that there is a name for. Source: security 6. */
const CLIMBS = [
  '../outside.txt',
  '../../outside.txt',
  'a/../../outside.txt',
  '..%2foutside.txt',
  '..%2Foutside.txt',
  '%2e%2e/outside.txt',
  '%2E%2e%2Foutside.txt',
  '.%2e/outside.txt',
  '..%5coutside.txt',
  '%2foutside.txt',
  '%2f%2fetc/passwd',
  '/etc/passwd',
  '.db/agent.sqlite',
  '.DB/agent.sqlite',
  '%2edb/agent.sqlite',
  '.trash/x',
  '.secrets',
  '.%C5%BFecrets/x',
];

/** Names that only look like it, or are none. */
const ODDITIES: readonly [string, number][] = [
  ['%252e%252e%252foutside.txt', 404],
  ['....//outside.txt', 422],
  ['a%00.txt', 422],
  ['%c0%ae%c0%ae/outside.txt', 422],
  ['%ff', 422],
  ['%', 422],
  [`${'x'.repeat(256)}`, 422],
  [`${'x/'.repeat(2_048)}x`, 422],
  ['C:%5Cwindows', 404],
  ['cafe%CC%81.txt', 200],
  ['a.txt', 200],
  ['a.txt#%2e%2e', 200],
];

describe('paths on the wire', () => {
  // Holds the agent to the contract: verifies('agent.paths')
  it.each(CLIMBS)('GET /files/%s and the like are 403, and nothing is read', async (climb) => {
    for (const prefix of ['/files/', '/public/']) {
      const { status, text } = await raw(`GET ${prefix}${climb}`);
      expect([prefix, status]).toEqual([prefix, 403]);
      expect(text).not.toMatch(/SECRET|root:|SQLite/);
      expect(text).toMatch(/\{"detail":"[^"]+"\}/);
    }
  });

  it.each(CLIMBS)('PUT, POST, PATCH and DELETE /files/%s are 403, and nothing is changed', async (climb) => {
    const json = ['Content-Type: application/json'];
    expect((await raw(`PUT /files/${climb}`, { body: 'overwritten' })).status).toBe(403);
    expect((await raw(`POST /files/${climb}`)).status).toBe(403);
    expect((await raw(`DELETE /files/${climb}`)).status).toBe(403);
    expect((await raw(`PATCH /files/${climb}`, { body: '{"to":"x"}', headers: json })).status).toBe(403);
    expect((await raw(`GET /files?path=${climb}`)).status).toBe(403);
    const to = JSON.stringify({ to: decodeURIComponent(climb) });
    expect((await raw('PATCH /files/a.txt', { body: to, headers: json })).status).toBe(403);
    expect(await readFile(path.join(fixture.dataFolder, 'outside.txt'), 'utf8')).toBe('SECRET');
    expect(await (await fixture.call('alice', 'GET', '/files/a.txt')).text()).toBe('mine');
  });

  it.each(ODDITIES)('GET /files/%s is %i', async (name, status) => {
    const answer = await raw(`GET /files/${name}`);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('SECRET');
    if (status === 422) expect(answer.text).toMatch(/"loc":\["path","path"\]/);
  });

  it('that climb on other routes reach none', async () => {
    for (const target of ['/chats/../files/a.txt', '/x/%2e%2e/config', '/..', '/shared/../config']) {
      expect([target, (await raw(`GET ${target}`)).status]).toEqual([target, 403]);
    }
  });
});

describe('an upload that is cut off', () => {
  // Holds the agent to the contract: verifies('files.atomic')
  it.each([
    ['a body', 'Content-Length: 1000000', 'half of it'],
    ['chunks', 'Transfer-Encoding: chunked', '5\r\nhalf \r\n'],
    [
      'a form',
      'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhalf',
    ],
  ])('as %s leaves nothing, and what was there', async (_what, head, body) => {
    const { port } = new URL(fixture.url);
    const incoming = path.join(fixture.dataFolder, '.incoming');
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`PUT /files/a.txt HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n${head}\r\n\r\n${body}`);
    await waitUntil('the upload has begun', async () => (await readdir(incoming)).length === 1);
    socket.destroy();
    await waitUntil('nothing of it is left', async () => (await readdir(incoming)).length === 0);
    expect(await (await fixture.call('alice', 'GET', '/files/a.txt')).text()).toBe('mine');
  });

  it('is told apart from one that is refused while it is sent: the answer arrives', async () => {
    await using small = await openTestAgent({ maxUploadMb: 1 });
    const body = new Uint8Array(8 * 2 ** 20);
    const answer = await small.call('alice', 'PUT', '/files/big.bin', body);
    expect([answer.status, (await answer.json()).detail]).toEqual([
      413,
      expect.stringMatching(/at most 1048576 bytes/),
    ]);
  });
});
