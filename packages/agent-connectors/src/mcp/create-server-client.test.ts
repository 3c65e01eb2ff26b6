import { createOutbound, personalWorkspace, type User } from '@berth/agent-core';
import { ownerKey } from '@berth/agent-store';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Grant } from '../connector/grants.ts';
import { NotConnected } from '../connector/not-connected.ts';
import { mcp } from '../declare/mcp.ts';
import { callTool } from './call-tool.ts';
import { createServerClient } from './create-server-client.ts';
import { type ScriptedServer, serveMcp } from './testing/serve-mcp.ts';

const user = { id: 'ann' } as User;
const person = ownerKey(user);
const caller: ConnectorCaller = { user, person, owner: person, workspace: personalWorkspace(user) };
const outbound = createOutbound({ allowedNetworks: ['127.0.0.1/32'] });

/** Asks with tokens, one after the other as each is refused. */
function openAsker(server: ScriptedServer, tokens: readonly string[], auth: 'oauth' | 'none' = 'oauth') {
  const clock = createFakeClock();
  const connector = mcp({ name: 'crm', url: server.url, auth });
  const grantOf = (token: string | undefined) =>
    token === undefined
      ? undefined
      : ({
          scope: 'user',
          owner: person,
          version: token,
          secrets: [token],
          authorize: (_url: URL, headers: Headers) => headers.set('authorization', token),
          scrub: (text: string) => text.replaceAll(token, '[hidden]'),
        } satisfies Grant);
  const servers = createServerClient({
    grants: {
      open: async () => grantOf(tokens[0]),
      reportRejected: async (_connector, { version }) => grantOf(tokens[tokens.indexOf(version) + 1]),
    },
    wantedScopes: { note: async () => {} },
    outbound,
    clock,
  });
  const limits = { timeoutMs: 20_000, maxBytes: 1e6 };
  const call = () => servers.ask(caller, connector, limits, (session) => callTool(session, { name: 'echo' }, {}));
  return { call, clock };
}

test('a credential that is refused is renewed once, and then asked for', async () => {
  await using server = await serveMcp({ 'tools/call': { content: [{ type: 'text', text: 'hi' }] } });
  const good = 'good-token';
  const tokens = new Set<unknown>();
  server.script['server/discover'] = (response, _asked, { headers }) => {
    tokens.add(headers.authorization);
    return response.writeHead(headers.authorization === good ? 404 : 401).end();
  };
  expect(await openAsker(server, ['old-token', good]).call()).toMatchObject({ text: 'hi' });
  await expect(openAsker(server, ['old-token']).call()).rejects.toThrow(NotConnected);
  await expect(openAsker(server, ['old-token', 'older-token', good]).call()).rejects.toThrow(NotConnected);
  await expect(openAsker(server, []).call()).rejects.toThrow(NotConnected);
  await expect(openAsker(server, ['old-token'], 'none').call()).rejects.toThrow(
    'requires sign-in, but is declared without',
  );
  expect(tokens).toEqual(new Set(['old-token', good, 'older-token']));
});

test('a server that says what it was asked with says it to nobody', async () => {
  await using server = await serveMcp({
    'tools/call': (response, { id }, { headers }) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: `not ${headers.authorization}` } })),
  });
  await expect(openAsker(server, ['a-token']).call()).rejects.toThrow('refused: not [hidden]');
});

test('the revision of a server is found out once an hour', async () => {
  await using server = await serveMcp({ 'tools/call': { content: [] } });
  const { call, clock } = openAsker(server, ['a-token']);
  const probes = async () => {
    await call();
    return server.asked.filter(({ method }) => method === 'server/discover').length;
  };
  expect([await probes(), await probes()]).toEqual([1, 1]);
  clock.advance(60 * 60_000);
  expect([await probes(), await probes()]).toEqual([2, 2]);
});
