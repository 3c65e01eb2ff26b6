import { createError } from '@berth/contract';
import { GENERAL_ID } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { memberKey, ownerKey, teamKey } from '../ports/owner-key.ts';
import type { StoredMember, StoredWorkspace, WorkspaceStore } from '../ports/workspace-store.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

const team = (id: string, changes: Partial<StoredWorkspace> = {}): StoredWorkspace => ({
  id,
  name: `Team ${id}`,
  icon: null,
  createdAtMs: NOW_MS,
  createdBy: 'ann',
  ...changes,
});
const member = (userId: string, role: StoredMember['role'], addedAtMs = NOW_MS): StoredMember => ({
  userId,
  role,
  addedBy: 'ann',
  addedAtMs,
});
const count = (results: readonly boolean[]) => results.filter((result) => result).length;

/** Runs the contract tests of a {@link WorkspaceStore}. */
export function describeWorkspaceStore(open: () => StoreFixture): void {
  /** Two empty tenants; the first one's name has characters that could break prefix queries. */
  const openTenants = () => {
    const { stores, ann } = open();
    const tenant = `org:%_${ann}😀`;
    const put = (store: WorkspaceStore, id: string, row: StoredMember) =>
      store.changeMember(tenant, id, { callerId: 'ann', userId: row.userId }, () => row);
    return { stores, store: stores.workspaces, tenant, other: `${ann}-other`, put };
  };

  test('workspaces: found with the user’s role, in their own tenant only', async () => {
    const { store, tenant, other, put } = openTenants();
    expect(await store.add(tenant, team('t-1', { icon: '🚀' }), member('ann', 'owner'))).toBe(true);
    expect(await store.add(tenant, team('t-2', { createdBy: null, createdAtMs: NOW_MS - 1 }))).toBe(true);
    await store.add(other, team('t-1', { name: 'Theirs' }), member('bob', 'owner'));
    await put(store, 't-2', member('ann', 'editor'));
    expect(await store.find(tenant, 't-1', 'ann')).toEqual({ workspace: team('t-1', { icon: '🚀' }), role: 'owner' });
    expect((await store.find(tenant, 't-1', 'bob'))?.role).toBeUndefined();
    expect(await store.find(tenant, 't-3', 'ann')).toBeUndefined();
    expect((await store.find(other, 't-1', 'ann'))?.workspace.name).toBe('Theirs');
    const listed = async (found: ReturnType<WorkspaceStore['list']>) =>
      (await found).map(({ workspace, role }) => `${workspace.id} ${role}`);
    expect(await listed(store.list(tenant, 'ann'))).toEqual(['t-2 editor', 't-1 owner']);
    expect(await listed(store.list(tenant, 'bob'))).toEqual([]);
    expect(await listed(store.listAll(tenant, 'bob'))).toEqual(['t-2 undefined', 't-1 undefined']);
    expect(await listed(store.list(other, 'bob'))).toEqual(['t-1 owner']);

    expect(await store.patch(tenant, 't-1', { name: 'New' })).toEqual(team('t-1', { name: 'New', icon: '🚀' }));
    expect(await store.patch(tenant, 't-1', { icon: null })).toEqual(team('t-1', { name: 'New' }));
    expect(await store.patch(tenant, 't-3', { name: 'New' })).toBeUndefined();
    expect((await store.find(other, 't-1', 'bob'))?.workspace.name).toBe('Theirs');
  });

  test('members: one row per user, changed atomically', async () => {
    const { store, tenant, other, put } = openTenants();
    for (const one of [tenant, other]) await store.add(one, team('t-1'), member('ann', 'owner'));
    await put(store, 't-1', member('bob', 'admin', NOW_MS + 2));
    await put(store, 't-1', member('eve/%:', 'editor', NOW_MS + 1));
    await put(store, 't-1', member('bob', 'editor', NOW_MS + 2));
    expect(await store.members(tenant, 't-1')).toEqual([
      member('ann', 'owner'),
      member('eve/%:', 'editor', NOW_MS + 1),
      member('bob', 'editor', NOW_MS + 2),
    ]);
    expect(await store.members(other, 't-1')).toEqual([member('ann', 'owner')]);
    expect(await put(store, 't-3', member('bob', 'editor'))).toBe(false);

    const refused = store.changeMember(
      tenant,
      't-1',
      { callerId: 'bob', userId: 'ann' },
      ({ caller, member: found }) => {
        throw createError('forbidden', `${caller?.role} of ${found?.role}`);
      },
    );
    await expect(refused).rejects.toThrow('editor of owner');
    await store.changeMember(tenant, 't-1', { callerId: 'ann', userId: 'eve/%:' }, () => undefined);
    expect((await store.members(tenant, 't-1')).map(({ userId }) => userId)).toEqual(['ann', 'bob']);

    // Two admins demote each other at the same time: the second one is no longer an admin.
    for (const id of ['one', 'two']) await put(store, 't-1', member(id, 'admin'));
    const demote = (callerId: string, userId: string) =>
      store.changeMember(tenant, 't-1', { callerId, userId }, ({ caller, member: found }) => {
        if (caller?.role !== 'admin') throw createError('forbidden', 'no admin');
        return { ...found!, role: 'editor' };
      });
    const outcomes = await Promise.allSettled([demote('one', 'two'), demote('two', 'one')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('removed workspaces: hidden at once, purged later, their ids never reused', async () => {
    const { store, tenant, other } = openTenants();
    for (const one of [tenant, other]) await store.add(one, team(GENERAL_ID), member('ann', 'owner'));
    expect(await store.remove(tenant, 't-3', NOW_MS)).toBe(false);
    expect(count(await Promise.all([1, 2, 3].map(() => store.remove(tenant, GENERAL_ID, NOW_MS))))).toBe(1);
    expect(await store.find(tenant, GENERAL_ID, 'ann')).toBeUndefined();
    expect([await store.list(tenant, 'ann'), await store.listAll(tenant, 'ann')]).toEqual([[], []]);
    expect(await store.members(tenant, GENERAL_ID)).toEqual([]);
    expect(await store.patch(tenant, GENERAL_ID, { name: 'Back' })).toBeUndefined();
    const who = { callerId: 'ann', userId: 'ann' };
    expect(await store.changeMember(tenant, GENERAL_ID, who, () => member('ann', 'owner'))).toBe(false);
    expect(await store.add(tenant, team(GENERAL_ID), member('ann', 'owner'))).toBe(false);
    expect(await store.members(tenant, GENERAL_ID)).toEqual([]);
    const mine = async () => (await store.removed()).filter((one) => [tenant, other].includes(one.tenant));
    expect(await mine()).toEqual([{ tenant, id: GENERAL_ID, removedAtMs: NOW_MS }]);
    await store.markPurged(tenant, GENERAL_ID);
    await store.markPurged(other, GENERAL_ID);
    expect(await mine()).toEqual([]);
    expect(await store.add(tenant, team(GENERAL_ID))).toBe(false);
    expect(await store.find(other, GENERAL_ID, 'ann')).toMatchObject({ role: 'owner' });
  });

  test('removed workspaces: a purge deletes all rows of the workspace and no others', async () => {
    const { stores, store, tenant, other } = openTenants();
    /** Stores a row of every kind for a member of a team and for the team. */
    const keep = async (orgId: string, userId: string, teamId: string) => {
      const key = teamKey(orgId, teamId);
      const owner = memberKey(ownerKey({ id: userId, ...(orgId && { orgId }) }), { id: teamId, type: 'team' });
      await stores.chats.append(owner, 'c1', [{ role: 'user', content: 'x' }], NOW_MS);
      await stores.settings.setToolMode(owner, 'write', 'ask');
      await stores.appData.put({ owner: key, slug: 'app', who: '' }, 'k', '1');
      await stores.trash.add(key, {
        id: `${userId}-x`,
        path: 'x',
        kind: 'file',
        by: 'user',
        deletedAtMs: NOW_MS,
        reason: '',
      });
      return async () => [
        (await stores.chats.list(owner, { limit: 9 })).length,
        (await stores.chats.messages(owner, 'c1')).length,
        Object.keys(await stores.settings.toolModes(owner)).length,
        (await stores.appData.list({ owner: key, slug: 'app', who: '' }, { prefix: '', limit: 9 })).length,
        (await stores.trash.list(key)).length,
      ];
    };
    const gone = [await keep(tenant, 'ann', GENERAL_ID), await keep(tenant, 'b:%', GENERAL_ID)];
    const kept = [await keep(tenant, 'ann', 't-2'), await keep(other, 'ann', GENERAL_ID), await keep('', 'ann', 't-2')];
    await store.purgeRows(tenant, GENERAL_ID);
    await store.purgeRows(tenant, GENERAL_ID);
    for (const left of gone) expect(await left()).toEqual([0, 0, 0, 0, 0]);
    for (const left of kept) expect(await left()).toEqual([1, 1, 1, 1, 1]);
  });

  test('people: all users who used the agent or have a chat, with their first time', async () => {
    const { stores, store, tenant, other } = openTenants();
    await store.meet(tenant, { userId: 'dan', name: 'Dan', email: 'dan@example.com' }, NOW_MS);
    await store.meet(tenant, { userId: 'dan', name: 'Dan Lee' }, NOW_MS + 9);
    await store.meet(other, { userId: 'eve', name: 'Eve' }, NOW_MS);
    await store.meet(tenant, { userId: 'anonymous' }, NOW_MS + 7);
    for (const [id, orgId] of [
      ['b:ob', tenant],
      ['dan', tenant],
      ['eve', other],
    ] as const) {
      const owner = ownerKey({ id, orgId });
      await stores.chats.append(owner, 'c1', [{ role: 'user', content: 'x' }], NOW_MS + 5);
      const inTeam = memberKey(owner, { id: 't-1', type: 'team' });
      await stores.chats.append(inTeam, 'c1', [{ role: 'user', content: 'x' }], NOW_MS - 5);
    }
    // The latest name, the e-mail address that a later token lacks, and no one of another tenant.
    expect(await store.profiles(tenant)).toEqual([{ userId: 'dan', name: 'Dan Lee', email: 'dan@example.com' }]);
    expect(await store.people(tenant)).toEqual([
      { userId: 'anonymous', metAtMs: NOW_MS + 7 },
      { userId: 'b:ob', metAtMs: NOW_MS + 5 },
      { userId: 'dan', metAtMs: NOW_MS },
    ]);
    expect([await store.metAtMs(tenant, 'dan'), await store.metAtMs(other, 'dan')]).toEqual([NOW_MS, undefined]);
  });
}
