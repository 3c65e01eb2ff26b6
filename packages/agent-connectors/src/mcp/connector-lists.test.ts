import { personalWorkspace } from '@berth/agent-core';
import { type ConnectorListStore, ownerKey, type StoredConnectorLists } from '@berth/agent-store';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Grant } from '../connector/grants.ts';
import { NotConnected } from '../connector/not-connected.ts';
import { mcp } from '../declare/mcp.ts';
import { createConnectorLists } from './create-connector-lists.ts';
import type { ServerClient } from './create-server-client.ts';
import { McpError } from './mcp-error.ts';
import type { McpSession } from './with-session.ts';

const MINUTE = 60_000;
const connector = mcp({ name: 'crm', url: 'https://crm.example/mcp', auth: 'oauth' });
const state = { connector, connectedAs: 'user' as const };

function callerOf(id: string): ConnectorCaller {
  const user = { id, name: id } as unknown as ConnectorCaller['user'];
  const person = ownerKey(user);
  return { user, person, owner: person, workspace: personalWorkspace(user) };
}

/** Lists over a server that has what `server` says, and counts how often it was asked. */
function openWorld() {
  const clock = createFakeClock();
  const rows = new Map<string, StoredConnectorLists>();
  const server = { tool: 'one', version: 'v1', ttlMs: undefined as number | undefined, asked: 0 };
  const faults = { error: undefined as Error | undefined, until: undefined as Promise<void> | undefined };
  const grant = () => ({
    version: server.version,
    scope: 'user',
    secrets: ['a-secret'],
    scrub: (text: string) => text,
  });
  const servers: ServerClient = {
    open: async () => grant() as unknown as Grant,
    async ask(_caller, _connector, _options, work) {
      server.asked++;
      await faults.until;
      if (faults.error) throw faults.error;
      const { tool, ttlMs } = server;
      const tools = [{ name: tool, inputSchema: { type: 'object' } }];
      const client = { getServerCapabilities: () => ({ tools: {} }), request: async () => ({ tools, ttlMs }) };
      return await work({ client, request: {} } as unknown as McpSession, grant() as unknown as Grant);
    },
  };
  const store: ConnectorListStore = {
    find: async (owner, name) => rows.get(`${owner} ${name}`),
    put: async (owner, name, lists) => void rows.set(`${owner} ${name}`, lists),
    purge: async () => {},
  };
  const open = () => createConnectorLists({ servers, store, clock, logger: createSilentLogger() });
  return { clock, server, faults, open, lists: open() };
}

const namesOf = (lists: { readonly tools: readonly { readonly name: string }[] } | undefined) =>
  lists?.tools.map(({ name }) => name);

test('are read by one at a time, for each person, and known to another instance', async () => {
  const { lists, server, open } = openWorld();
  const [ann, bob] = [callerOf('ann'), callerOf('bob')];
  const found = await Promise.all(Array.from({ length: 20 }, () => lists.forTurn(ann, state)));
  expect([new Set(found.map((one) => namesOf(one)?.join())), server.asked]).toEqual([new Set(['one']), 1]);
  await lists.forTurn(bob, state);
  expect(server.asked).toBe(2);
  expect([namesOf(await open().forTurn(ann, state)), server.asked]).toEqual([['one'], 2]);
  const moved = { ...connector, server: { ...connector.server, url: 'https://other.example/mcp' } };
  await open().forTurn(ann, { ...state, connector: moved as typeof connector });
  expect(server.asked).toBe(3);
});

test('hold as long as the server says, and are used again while they are read anew', async () => {
  const { lists, server, clock } = openWorld();
  const ann = callerOf('ann');
  await lists.forTurn(ann, state);
  server.tool = 'two';
  clock.advance(10 * MINUTE - 1);
  expect([namesOf(await lists.forTurn(ann, state)), server.asked]).toEqual([['one'], 1]);
  clock.advance(1);
  expect(namesOf(await lists.forTurn(ann, state))).toEqual(['one']);
  await expect.poll(async () => namesOf(await lists.forTurn(ann, state)), { timeout: 20_000 }).toEqual(['two']);
  expect(server.asked).toBe(2);
  // A day at most, a minute at least.
  server.ttlMs = 1e12;
  await lists.readAnew(ann, connector);
  clock.advance(24 * 60 * MINUTE - 1);
  await lists.read(ann, state);
  expect(server.asked).toBe(3);
  server.ttlMs = 0;
  await lists.readAnew(ann, connector);
  clock.advance(MINUTE - 1);
  await lists.read(ann, state);
  expect(server.asked).toBe(4);
  // Another credential may see others.
  server.version = 'v2';
  await lists.read(ann, state);
  expect(server.asked).toBe(5);
});

test('that cannot be read stay as they were, and turns ask again after a minute', async () => {
  const { lists, server, faults, clock } = openWorld();
  const ann = callerOf('ann');
  faults.error = new McpError('failed', 'answered 500');
  expect([await lists.forTurn(ann, state), await lists.forTurn(ann, state), server.asked]).toEqual([
    undefined,
    undefined,
    1,
  ]);
  await expect(lists.read(ann, state)).rejects.toThrow('answered 500');
  clock.advance(MINUTE);
  faults.error = undefined;
  expect(namesOf(await lists.forTurn(ann, state))).toEqual(['one']);
  faults.error = new McpError('failed', 'answered 500');
  clock.advance(11 * MINUTE);
  expect([namesOf(await lists.forTurn(ann, state)), namesOf(await lists.read(ann, state))]).toEqual([['one'], ['one']]);
  // Who connects need not wait.
  const bob = callerOf('bob');
  faults.error = new NotConnected(connector);
  expect(await lists.forTurn(bob, state)).toBeUndefined();
  faults.error = undefined;
  expect(namesOf(await lists.forTurn(bob, state))).toEqual(['one']);
});

test('of a silent server are waited for 3 s, once', async () => {
  const { lists, server, faults, clock } = openWorld();
  const ann = callerOf('ann');
  const answered = Promise.withResolvers<void>();
  faults.until = answered.promise;
  const first = lists.forTurn(ann, state);
  await expect.poll(() => clock.pending, { timeout: 20_000 }).toBe(1);
  clock.advance(3_000);
  expect([await first, await lists.forTurn(ann, state), server.asked]).toEqual([undefined, undefined, 1]);
  answered.resolve();
  await expect.poll(async () => namesOf(await lists.forTurn(ann, state)), { timeout: 20_000 }).toEqual(['one']);
});
