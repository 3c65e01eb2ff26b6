import type { AgentStores, WorkspaceStore } from '@berth/agent-store';
import { createSqlStores, openAgentSqlite } from '@berth/agent-store/sql';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspaceRegistry } from './create-workspace-registry.ts';
import { createPeopleRecorder } from './people-recorder.ts';

let stores: AgentStores;
beforeAll(async () => {
  stores = createSqlStores(await openAgentSqlite(':memory:', createSilentLogger()));
});
afterAll(() => stores.close());

/** Creates a registry that records its new store calls and its log. */
function open() {
  const asked: string[] = [];
  const log: string[] = [];
  const failing = new Set<string>();
  const store = new Proxy(stores.workspaces, {
    get(target, name: keyof WorkspaceStore) {
      return (...values: never[]) => {
        asked.push(name);
        if (failing.has(name)) return Promise.reject(new Error('the disk is full'));
        return (target[name] as (...all: never[]) => unknown)(...values);
      };
    },
  });
  const clock = createFakeClock();
  const logger = createRecordingLogger(log);
  const people = createPeopleRecorder({ store, clock, logger });
  const options = { store, people, policy: 'member', clock, ids: createIdSource(), logger, onRemoved() {} } as const;
  return { registry: createWorkspaceRegistry(options), asked: () => asked.splice(0), log, failing };
}

it('enters a team with one question to the database, and the personal workspace with none', async () => {
  const { registry, asked } = open();
  const bob = { id: 'bob', orgId: 'acme' };
  const { id } = await registry.create(bob, { name: 'Team' });
  asked();
  for (const team of [id, 't-shared']) {
    expect(await registry.enter(bob, team)).toMatchObject({ id: team, type: 'team' });
    expect(asked()).toEqual(['find']);
  }
  for (const personal of [undefined, 'u-bob']) {
    expect(await registry.enter(bob, personal)).toEqual({
      id: 'u-bob',
      type: 'personal',
      role: 'owner',
      key: 'acme:bob',
    });
    expect(asked()).toEqual([]);
  }
  for (const nothing of ['u-eve', 't-', 'T-SHARED', 't-shared ', `${id}, ${id}`]) {
    await expect(registry.enter(bob, nothing)).rejects.toMatchObject({ code: 'not_found' });
    expect(asked()).toEqual([]);
  }
});

it('lets people work whom it cannot write down, and tries again with their next request', async () => {
  const { registry, asked, log, failing } = open();
  const ann = { id: 'ann', orgId: 'full' };
  failing.add('meet');
  expect(await registry.enter(ann, undefined)).toMatchObject({ id: 'u-ann' });
  expect(log.join()).toContain('the disk is full');
  failing.clear();
  expect(await registry.enter(ann, 't-shared')).toMatchObject({ role: 'editor' });
  expect(asked()).toEqual(['meet', 'meet', 'add', 'find']);
});

it('knows a personal workspace by its id as a header can hold it', async () => {
  const { registry } = open();
  for (const id of ['é😀', 'a b', '%', 'auth0|42']) {
    for (const header of [`u-${id}`, `u-${encodeURIComponent(id)}`]) {
      expect(await registry.enter({ id }, header)).toMatchObject({ id: `u-${id}`, type: 'personal' });
    }
    await expect(registry.enter({ id: `${id}x` }, `u-${id}`)).rejects.toMatchObject({ code: 'not_found' });
  }
});
