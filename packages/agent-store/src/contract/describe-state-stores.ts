import { expect, test } from 'vitest';
import type { StoredApproval } from '../ports/approval-store.ts';
import type { StoredShare } from '../ports/share-store.ts';
import type { TrashEntry } from '../ports/trash-store.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

const count = (results: readonly unknown[]) =>
  results.filter((result) => result !== undefined && result !== false).length;

/**
 * Runs the contract tests of a {@link TrashStore}, {@link ShareStore}, {@link SettingStore}, {@link ApprovalStore},
 * {@link ConnectorListStore} and {@link ConnectorCallStore}.
 */
export function describeStateStores(open: () => StoreFixture): void {
  test('trash: an entry is taken once, by its owner', async () => {
    const { stores, ann, bob } = open();
    const entry = (id: string, deletedAtMs: number): TrashEntry => ({
      id,
      path: `a/${id}`,
      kind: 'file',
      by: 'agent',
      deletedAtMs,
      reason: 'because',
    });
    for (const [index, id] of ['x', 'y', 'z'].entries()) await stores.trash.add(ann, entry(id, NOW_MS + index));
    expect((await stores.trash.list(ann)).map(({ id }) => id)).toEqual(['z', 'y', 'x']);
    expect(await stores.trash.find(ann, 'y')).toEqual(entry('y', NOW_MS + 1));
    expect([await stores.trash.list(bob), await stores.trash.find(bob, 'y')]).toEqual([[], undefined]);
    expect(await stores.trash.take(bob, 'y')).toBeUndefined();
    expect(count(await Promise.all([1, 2, 3].map(() => stores.trash.take(ann, 'y'))))).toBe(1);
    expect((await stores.trash.takeBefore(ann, NOW_MS + 1)).map(({ id }) => id)).toEqual(['x']);
    expect(await stores.trash.takeBefore(bob, NOW_MS + 99)).toEqual([]);
    expect((await stores.trash.list(ann)).map(({ id }) => id)).toEqual(['z']);
  });

  test('shares: found by owner and token, revoked once', async () => {
    const { stores, ann, bob } = open();
    const share = (tokenHash: string, changes: Partial<StoredShare> = {}): StoredShare => ({
      tokenHash,
      sealedToken: `sealed ${tokenHash}`,
      owner: ann,
      path: 'chat/c1',
      audience: 'public',
      isLive: false,
      title: 'T',
      createdAtMs: NOW_MS,
      snapshot: { messages: [{ role: 'user' }] },
      ...changes,
    });
    await stores.shares.add(share('one'));
    await stores.shares.add(share('two', { isLive: true, expiresAtMs: NOW_MS + 5, createdAtMs: NOW_MS + 1 }));
    expect(await stores.shares.find(ann, 'two')).toMatchObject({ isLive: true, expiresAtMs: NOW_MS + 5 });
    expect(await stores.shares.find(ann, 'one')).toEqual(share('one'));
    expect(await stores.shares.find(bob, 'one')).toBeUndefined();
    expect(await stores.shares.findByToken('one')).toEqual(share('one'));
    expect(await stores.shares.findByToken('none')).toBeUndefined();
    const { snapshot: _snapshot, ...row } = share('one');
    expect((await stores.shares.list(ann))[1]).toEqual(row);
    expect(await stores.shares.list(bob)).toEqual([]);
    expect(await stores.shares.remove(bob, 'one')).toBe(false);
    expect(count(await Promise.all([1, 2].map(() => stores.shares.remove(ann, 'one'))))).toBe(1);
    expect(await stores.shares.find(ann, 'one')).toBeUndefined();
  });

  test('settings: tool modes are separate for each user', async () => {
    const { stores, ann, bob } = open();
    await stores.settings.setToolMode(ann, 'read', 'allow');
    await stores.settings.setToolMode(ann, 'write', 'ask');
    await stores.settings.setToolMode(ann, 'write', 'never');
    expect(await stores.settings.toolModes(ann)).toEqual({ read: 'allow', write: 'never' });
    expect(await stores.settings.toolModes(bob)).toEqual({});
    await stores.settings.clearToolMode(ann, 'write');
    await stores.settings.clearToolMode(ann, 'write');
    expect(await stores.settings.toolModes(ann)).toEqual({ read: 'allow' });
    await stores.settings.setToolMode(ann, 'read', 'allow', 'hash');
    await stores.settings.setToolMode(ann, 'write', 'allow', 'other');
    expect(await stores.settings.toolDefinitions(ann)).toEqual({ read: 'hash', write: 'other' });
    await stores.settings.setToolMode(ann, 'read', 'allow');
    expect(await stores.settings.toolDefinitions(ann)).toEqual({ write: 'other' });
    expect(await stores.settings.toolDefinitions(bob)).toEqual({});
  });

  test('connector calls: counted once each, until their window ends', async () => {
    const { stores, ann, bob } = open();
    const count = (owner: typeof ann, nowMs: number, connector = 'crm', calls = 1) =>
      stores.connectorCalls.count(owner, connector, { nowMs, windowMs: 100, calls });
    const first = await Promise.all(Array.from({ length: 5 }, () => count(ann, NOW_MS)));
    expect(first.map(({ calls }) => calls).sort()).toEqual([1, 2, 3, 4, 5]);
    expect([await count(bob, NOW_MS), await count(ann, NOW_MS, 'mail')].map(({ calls }) => calls)).toEqual([1, 1]);
    expect(await count(ann, NOW_MS + 99)).toEqual({ beganAtMs: NOW_MS, calls: 6 });
    expect(await count(ann, NOW_MS - 3, 'crm', 20)).toEqual({ beganAtMs: NOW_MS, calls: 26 });
    expect(await count(ann, NOW_MS + 100)).toEqual({ beganAtMs: NOW_MS + 100, calls: 1 });
    expect(await count(ann, NOW_MS - 5_000)).toEqual({ beganAtMs: NOW_MS - 5_000, calls: 1 });
  });

  test('connector lists: the last one read for each credential', async () => {
    const { stores, ann, bob } = open();
    const { connectorLists } = stores;
    const lists = (version: string, readAtMs = NOW_MS) => ({
      server: 'https://crm.example/mcp',
      version,
      lists: '{"tools":[]}',
      readAtMs,
      staleAtMs: readAtMs + 1,
    });
    await connectorLists.put(ann, 'crm', lists('v1', NOW_MS - 5));
    await connectorLists.put(ann, 'crm', lists('v2'));
    await connectorLists.put('', 'crm', lists('', NOW_MS - 5));
    expect(await connectorLists.find(ann, 'crm')).toEqual(lists('v2'));
    expect([await connectorLists.find(bob, 'crm'), await connectorLists.find(ann, 'mail')]).toEqual([
      undefined,
      undefined,
    ]);
    await connectorLists.purge(NOW_MS);
    expect([await connectorLists.find('', 'crm'), await connectorLists.find(ann, 'crm')]).toEqual([
      undefined,
      lists('v2'),
    ]);
  });

  test('approvals: decided once and used once, in their chat, before they expire', async () => {
    const { stores, ann, bob } = open();
    const approval = (key: string): StoredApproval => ({
      key,
      chatId: 'c1',
      callId: 'call',
      tool: 'write',
      label: 'Write a',
      args: '{"path":"a"}',
      definitionHash: 'hash',
      expiresAtMs: NOW_MS + 100,
    });
    for (const key of ['one', 'two', 'three']) await stores.approvals.add(ann, approval(key));
    await stores.approvals.add(ann, { ...approval('other'), chatId: 'c9', settingKey: 'crm/write' });
    expect(await stores.approvals.take(ann, 'c9', 'other', NOW_MS)).toMatchObject({ settingKey: 'crm/write' });
    const { approvals } = stores;
    expect(await approvals.find(ann, 'c1', 'one')).toEqual(approval('one'));
    expect([await approvals.find(bob, 'c1', 'one'), await approvals.find(ann, 'c2', 'one')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await approvals.decide(bob, 'c1', 'one', { decision: 'approve', nowMs: NOW_MS })).toBe(false);
    expect(await approvals.decide(ann, 'c2', 'one', { decision: 'approve', nowMs: NOW_MS })).toBe(false);
    const decisions = (['approve', 'deny', 'approve'] as const).map((decision) =>
      approvals.decide(ann, 'c1', 'one', { decision, nowMs: NOW_MS }),
    );
    expect(count(await Promise.all(decisions))).toBe(1);
    expect(await approvals.decide(ann, 'c1', 'two', { decision: 'deny', nowMs: NOW_MS + 100 })).toBe(false);
    expect((await approvals.listDecided(ann, 'c1', NOW_MS)).map(({ key }) => key)).toEqual(['one']);
    expect(await approvals.listDecided(ann, 'c1', NOW_MS + 100)).toEqual([]);
    expect((await approvals.listWaiting(ann, 'c1', NOW_MS)).map(({ key }) => key).sort()).toEqual(['three', 'two']);
    expect(await approvals.listWaiting(ann, 'c1', NOW_MS + 100)).toEqual([]);
    expect([
      ...(await approvals.listWaiting(bob, 'c1', NOW_MS)),
      ...(await approvals.listWaiting(ann, 'c2', NOW_MS)),
    ]).toEqual([]);
    expect(
      await approvals.decide(ann, 'c1', 'three', {
        ...{ decision: 'approve', nowMs: NOW_MS, args: '{"to":1}', reason: 'Why not.' },
      }),
    ).toBe(true);
    expect(await approvals.find(ann, 'c1', 'three')).toMatchObject({
      ...{ decision: 'approve', args: '{"to":1}', reason: 'Why not.' },
    });
    expect(await approvals.take(bob, 'c1', 'one', NOW_MS)).toBeUndefined();
    expect(count(await Promise.all([1, 2, 3].map(() => approvals.take(ann, 'c1', 'one', NOW_MS))))).toBe(1);
    expect(await approvals.take(ann, 'c1', 'two', NOW_MS + 100)).toBeUndefined();
    await approvals.purge(NOW_MS + 99);
    expect(await approvals.find(ann, 'c1', 'three')).toBeDefined();
    await approvals.purge(NOW_MS + 100);
    expect(await approvals.find(ann, 'c1', 'three')).toBeUndefined();
  });

  // Fails when a list leaves its owner or workspace, shows what can't be decided, or a decision isn't recorded with its message.
  test('approvals are listed over all chats of an owner or a workspace, and a decision is recorded in its chat', async () => {
    const { stores, ann, bob } = open();
    const { approvals, chats } = stores;
    const workspace = `::${ann}::t-1`;
    const approval = (key: string, expiresAtMs: number, more: object = {}) => ({
      ...{
        key: `${ann}-${key}`,
        chatId: 'c1',
        callId: key,
        tool: 'rm',
        label: 'Remove',
        args: '{}',
        definitionHash: 'h',
      },
      ...{ expiresAtMs, workspace, request: '{"auto":true}', ...more },
    });
    for (const owner of [ann, bob]) await chats.create(owner, { id: 'c1', title: `Of ${owner}` }, [], NOW_MS);
    await chats.create(ann, { id: 'c2', title: 'In the trash' }, [], NOW_MS);
    await approvals.add(ann, approval('late', NOW_MS + 200));
    await approvals.add(ann, approval('soon', NOW_MS + 100));
    await approvals.add(ann, approval('over', NOW_MS));
    await approvals.add(ann, approval('trashed', NOW_MS + 100, { chatId: 'c2' }));
    await chats.trash(ann, 'c2', NOW_MS);
    await approvals.add(bob, approval('bobs', NOW_MS + 150));
    const keys = async (of: Parameters<typeof approvals.listAllWaiting>[0], limit = 9) =>
      (await approvals.listAllWaiting(of, NOW_MS, limit)).map(({ callId }) => callId);
    expect(await keys({ owner: ann })).toEqual(['soon', 'late']);
    expect(await keys({ owner: ann }, 1)).toEqual(['soon']);
    expect(await keys({ workspace })).toEqual(['soon', 'bobs', 'late']);
    expect(await keys({ workspace: `${workspace}0` })).toEqual([]);
    expect(await approvals.findWaiting(`${ann}-bobs`, NOW_MS)).toEqual({
      ...approval('bobs', NOW_MS + 150),
      ...{ owner: bob, chatTitle: `Of ${bob}` },
    });
    expect(await approvals.findWaiting(`${ann}-over`, NOW_MS)).toBeUndefined();
    const message = { role: 'assistant', content: '', parts: [] } as const;
    const decided = await Promise.all(
      [1, 2].map(() => approvals.decide(bob, 'c1', `${ann}-bobs`, { decision: 'deny', nowMs: NOW_MS, message })),
    );
    expect(decided.sort()).toEqual([false, true]);
    expect(await chats.messages(bob, 'c1')).toHaveLength(1);
    expect(await keys({ workspace })).toEqual(['soon', 'late']);
    expect(await approvals.findWaiting(`${ann}-bobs`, NOW_MS)).toBeUndefined();
  });
}
