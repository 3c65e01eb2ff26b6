import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type LoopAgent, openLoopAgent } from '@berth/agent/testing';
import { defineTool } from '@berth/agent-core';
import { createRecordingLogger } from '@berth/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { key } from './declare/key.ts';
import { oauth } from './declare/oauth.ts';
import { openTestProvider, type TestProvider } from './oauth/testing/test-provider.ts';
import { type KeyServer, openKeyServer } from './testing/open-key-server.ts';

/** Secrets of the test, each in a place of its own. */
const CANARIES = {
  key: 'good-canary+key/of=alice',
  query: 'good canary&query',
  access: 'canary-access-token-1f2e',
  refresh: 'canary-refresh-token-3d4c',
  client: 'canary-client-secret-5b6a',
  refused: 'canary-refused-key-7980',
};
const spellings = new Set(
  Object.values(CANARIES).flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString().slice(7),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ]),
);
/** The secrets that are in `text`, which is named in failures. */
const found = (name: string, text: string) =>
  [...spellings].filter((one) => text.includes(one)).map((one) => `${name}: ${one}`);

const lines: string[] = [];
let agent: LoopAgent;
let server: KeyServer;
let provider: TestProvider;
const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks something up.',
  risk: 'read',
  input: z.object({}),
  run: async (_input, { connector }) => (await connector?.fetch('echo'))?.text(),
});
beforeAll(async () => {
  server = await openKeyServer();
  provider = await openTestProvider({ clients: { known: CANARIES.client } });
  provider.misbehave('/token', () => ({
    body: {
      access_token: CANARIES.access,
      refresh_token: CANARIES.refresh,
      token_type: 'Bearer',
      expires_in: 3_600,
    },
  }));
  // What a careless API answers: the headers that it got.
  provider.misbehave('/api/echo', ({ headers }) => ({ body: { headers } }));
  const { url } = provider;
  const client = { clientId: 'known', clientSecret: CANARIES.client };
  const calls = ['crm__look_up', 'mail__look_up'].map((tool) => ({ tool, args: {} }));
  agent = await openLoopAgent([{ calls }, 'Looked.'], {
    logger: createRecordingLogger(lines),
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
    connectors: [
      key({ name: 'crm', api: server.url, probe: 'me', tools: [lookUp] }),
      key({ name: 'map', api: server.url, query: 'key' }),
      oauth({
        name: 'mail',
        authorizationUrl: `${url}/authorize`,
        tokenUrl: `${url}/token`,
        ...client,
        api: `${url}/api`,
        tools: [lookUp],
      }),
    ],
  });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

// Holds the agent to the contract: verifies('connector.secret')
test('what people connect with is in no answer, stream, page, log or file', async () => {
  const seen: string[] = [];
  const ask = async (method: string, target: string, body?: unknown) => {
    const response = await agent.call('alice', method, target, body);
    const text = await response.text();
    seen.push(...found(`${method} ${target} (${response.status})`, `${JSON.stringify([...response.headers])} ${text}`));
    return { status: response.status, text };
  };
  // In.
  expect((await ask('PUT', '/connectors/crm/key', { key: CANARIES.key })).status).toBe(200);
  expect((await ask('PUT', '/connectors/map/key', { key: CANARIES.query })).status).toBe(200);
  const { text } = await ask('POST', '/connectors/mail/authorize');
  const back = await provider.consent((JSON.parse(text) as { url: string }).url);
  expect((await ask('GET', back.slice(agent.url.length))).status).toBe(200);

  // Errors of each kind.
  const { refused } = CANARIES;
  const errors = [
    { key: refused },
    { key: `${refused}\n${refused}` },
    { key: refused, endpoint: `https://${refused}.example` },
    { key: refused, scope: refused },
    { key: [refused] },
    { key: `${refused}\u0000` },
  ];
  for (const body of errors) expect((await ask('PUT', '/connectors/crm/key', body)).status).toBeGreaterThanOrEqual(400);
  server.trouble = 'silence';
  expect((await ask('PUT', '/connectors/crm/key', { key: refused })).status).toBe(503);
  expect((await ask('GET', '/connectors/crm/fetch/echo')).status).toBeGreaterThanOrEqual(500);
  server.trouble = undefined;

  // Out: far ends that echo what they got.
  for (const name of ['crm', 'map', 'mail']) {
    const answer = await ask('GET', `/connectors/${name}/fetch/echo?a=b`);
    expect([name, answer.status, answer.text.includes('headers')]).toEqual([name, 200, true]);
  }
  const turn = await agent.say('Look it up');
  const shown = JSON.stringify(turn.frames);
  expect(turn.text).toBe('Looked.');
  expect(shown.match(/headers/g)?.length).toBeGreaterThanOrEqual(2);
  seen.push(...found('the stream', shown));
  seen.push(...found('the model', JSON.stringify(agent.asked)));

  const pages = [
    '/',
    '/config',
    '/llms.txt',
    '/connectors',
    '/connectors/crm/tools',
    '/tools',
    '/chats',
    '/chats/c1',
    '/trash',
    '/files',
    '/explore',
    '/examples',
    '/share',
    '/connectors/client.json',
  ];
  for (const target of pages) expect((await ask('GET', target)).status).toBeLessThan(500);

  // At rest, with the database and what it has not yet written into its file.
  const entries = await readdir(agent.dataFolder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  expect(files.some((file) => file.endsWith('agent.sqlite') || file.includes('.secrets'))).toBe(true);
  for (const file of files) seen.push(...found(file, await readFile(file, 'latin1')));
  expect(lines.length).toBeGreaterThan(0);
  seen.push(...found('the log', lines.join('\n')));
  expect(seen).toEqual([]);

  // They were really used.
  expect(server.seen.some((one) => one.includes(CANARIES.key))).toBe(true);
  expect(provider.asked('/api/echo').at(-1)?.headers.authorization).toBe(`Bearer ${CANARIES.access}`);
});
