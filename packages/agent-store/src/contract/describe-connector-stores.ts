import { expect, test } from 'vitest';
import { AUTHORIZATIONS_KEPT, type StoredGrant } from '../ports/connector-stores.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

const count = (results: readonly unknown[]) =>
  results.filter((result) => result !== undefined && result !== false).length;

/**
 * Runs the contract tests of a {@link GrantStore}, {@link ConnectorSwitchStore}, {@link AuthorizationStore} and {@link
 * OAuthClientStore}.
 */
export function describeConnectorStores(open: () => StoreFixture): void {
  const grantOf = (owner: OwnerKey, connector: string, changes: Partial<StoredGrant> = {}): StoredGrant => ({
    owner,
    connector,
    version: 'v1',
    sealed: `k1.${connector}`,
    isRejected: false,
    connectedAtMs: NOW_MS,
    ...changes,
  });

  test('grants: one per owner and connector, changed only from its current version', async () => {
    const { stores, ann, bob } = open();
    const { grants } = stores;
    await grants.put(grantOf(ann, 'crm'));
    await grants.put(grantOf(ann, 'mail'));
    await grants.put(grantOf(bob, 'crm', { isRejected: true }));
    expect(await grants.find(ann, 'crm')).toEqual(grantOf(ann, 'crm'));
    expect(await grants.find(bob, 'mail')).toBeUndefined();
    expect(await grants.listOf([])).toEqual([]);
    const both = await grants.listOf([ann, bob]);
    expect(both.map(({ owner, connector }) => `${owner} ${connector}`).sort()).toEqual([
      `${ann} crm`,
      `${ann} mail`,
      `${bob} crm`,
    ]);

    // Of concurrent replacements of one version, one succeeds.
    const seen = grantOf(ann, 'crm');
    const replaced = ['v2', 'v3', 'v4'].map((version) => grants.replace(seen, { version, sealed: `k1.${version}` }));
    expect(count(await Promise.all(replaced))).toBe(1);
    await grants.markRejected(seen);
    const now = await grants.find(ann, 'crm');
    expect(now).toMatchObject({ isRejected: false, connectedAtMs: NOW_MS });
    await grants.markRejected(now as StoredGrant);
    expect(await grants.find(ann, 'crm')).toMatchObject({ isRejected: true });
    expect(await grants.replace(now as StoredGrant, { version: 'v9', sealed: 'k1.v9' })).toBe(true);
    expect(await grants.find(ann, 'crm')).toMatchObject({ version: 'v9', sealed: 'k1.v9', isRejected: false });

    // Deleted grants stay deleted.
    expect(await grants.remove(bob, 'mail')).toBeUndefined();
    expect(count(await Promise.all([1, 2].map(() => grants.remove(ann, 'crm'))))).toBe(1);
    const gone = { owner: ann, connector: 'crm', version: 'v9' };
    expect(await grants.replace(gone, { version: 'v10', sealed: 'x' })).toBe(false);
    await grants.markRejected(gone);
    expect(await grants.find(ann, 'crm')).toBeUndefined();
    expect(await grants.find(bob, 'crm')).toMatchObject({ isRejected: true });
  });

  test('grants: one holder at a time has the lease', async () => {
    const { stores, ann, bob } = open();
    const { grants } = stores;
    const lease = (holder: string, nowMs = NOW_MS, connector = 'crm') =>
      grants.lease(ann, connector, { holder, nowMs, untilMs: nowMs + 100 });
    expect(await lease('one')).toBe(false);
    await grants.put(grantOf(ann, 'crm'));
    await grants.put(grantOf(bob, 'crm'));
    const taken = await Promise.all(['one', 'two', 'three'].map((holder) => lease(holder)));
    expect(count(taken)).toBe(1);
    const holder = ['one', 'two', 'three'][taken.indexOf(true)] as string;
    expect([await lease(holder), await lease('four', NOW_MS + 99)]).toEqual([true, false]);
    expect(await grants.lease(bob, 'crm', { holder: 'four', nowMs: NOW_MS, untilMs: NOW_MS + 1 })).toBe(true);
    await grants.release(ann, 'crm', 'four');
    expect(await lease('four')).toBe(false);
    await grants.release(ann, 'crm', holder);
    expect(await lease('four')).toBe(true);
    expect(await lease('five', NOW_MS + 100)).toBe(true);
    // A new grant isn't leased, even when the old one was.
    await grants.put(grantOf(ann, 'crm', { version: 'v2' }));
    expect(await lease('six')).toBe(true);
  });

  test('grants and clients: those under other keys are listed in pages, and resealed unless they changed', async () => {
    const { stores, ann, bob } = open();
    const { grants, oauthClients } = stores;
    const prefix = `k_%-${ann}.`;
    for (const owner of [ann, bob]) for (const name of ['a', 'b']) await grants.put(grantOf(owner, name));
    await grants.put(grantOf(bob, 'c', { sealed: `${prefix}x` }));
    const mine = async () => {
      const found: StoredGrant[] = [];
      for (;;) {
        const page = await grants.listSealedOtherwise(prefix, 2, found.at(-1));
        found.push(...page);
        if (page.length === 0) return found.filter(({ owner }) => owner === ann || owner === bob);
      }
    };
    const listed = await mine();
    expect(listed.map(({ owner, connector }) => [owner, connector])).toEqual([
      [ann, 'a'] as const,
      [ann, 'b'] as const,
      [bob, 'a'] as const,
      [bob, 'b'] as const,
    ]);
    await grants.replace(listed[0] as StoredGrant, { version: 'v2', sealed: 'k1.other' });
    for (const grant of listed) await grants.reseal(grant, `${prefix}${grant.connector}`);
    expect((await mine()).map(({ sealed }) => sealed)).toEqual(['k1.other']);
    expect(await grants.find(bob, 'b')).toEqual(grantOf(bob, 'b', { sealed: `${prefix}b` }));

    const client = (id: string) => ({ id: `${ann} ${id}`, sealed: `k1.${id}`, createdAtMs: NOW_MS });
    for (const id of ['x', 'y', 'z']) expect(await oauthClients.add(client(id))).toEqual(client(id));
    expect(await oauthClients.add({ ...client('x'), sealed: 'other' })).toEqual(client('x'));
    await oauthClients.remove(client('x').id, 'other');
    await oauthClients.remove(client('z').id, client('z').sealed);
    expect(await oauthClients.find(client('z').id)).toBeUndefined();
    await oauthClients.reseal(client('x'), `${prefix}x`);
    const left = await oauthClients.listSealedOtherwise(prefix, 1, client('x').id);
    expect(left).toEqual([client('y')]);
    expect(await oauthClients.find(client('x').id)).toEqual({ ...client('x'), sealed: `${prefix}x` });
  });

  test('switches: separate for each level and owner', async () => {
    const { stores, ann, bob } = open();
    const { connectorSwitches: switches } = stores;
    const at = (level: 'org' | 'workspace' | 'person', owner: string, connector: string, isOn: boolean) => ({
      level,
      owner,
      connector,
      isOn,
    });
    await switches.set(at('person', ann, 'crm', false));
    await switches.set(at('person', ann, 'crm', true));
    await switches.set(at('workspace', ann, 'crm', false));
    await switches.set(at('person', bob, 'mail', false));
    expect(await switches.listOf([])).toEqual([]);
    expect(await switches.listOf([{ level: 'person', owner: ann }])).toEqual([at('person', ann, 'crm', true)]);
    const several = await switches.listOf([
      { level: 'org', owner: ann } as const,
      { level: 'workspace', owner: ann } as const,
      { level: 'person', owner: bob },
    ]);
    expect(several.map(({ level, connector }) => `${level} ${connector}`).sort()).toEqual([
      'person mail',
      'workspace crm',
    ]);
  });

  test('pending authorizations: taken once, before they expire, limited per user', async () => {
    const { stores, ann, bob } = open();
    const { authorizations } = stores;
    const one = (stateHash: string) => ({
      stateHash: `${ann} ${stateHash}`,
      owner: ann,
      sealed: 'k1.x',
      expiresAtMs: NOW_MS + 100,
    });
    const [a, b, c] = ['a', 'b', 'c'].map(one) as [
      ReturnType<typeof one>,
      ReturnType<typeof one>,
      ReturnType<typeof one>,
    ];
    for (const each of [a, b, c]) await authorizations.put(each);
    expect(await authorizations.find(a.stateHash, NOW_MS + 99)).toEqual(a);
    expect(await authorizations.find(a.stateHash, NOW_MS + 100)).toBeUndefined();
    const taken = await Promise.all([1, 2, 3].map(() => authorizations.take(a.stateHash, NOW_MS)));
    expect([count(taken), taken.find(Boolean)]).toEqual([1, a]);
    expect(await authorizations.take(b.stateHash, NOW_MS + 100)).toBeUndefined();
    await authorizations.purge(NOW_MS + 99);
    expect(await authorizations.find(c.stateHash, NOW_MS)).toEqual(c);
    await authorizations.purge(NOW_MS + 100);
    expect(await authorizations.find(c.stateHash, NOW_MS)).toBeUndefined();
    await authorizations.put({ ...one('of bob'), owner: bob });
    for (let index = 0; index <= AUTHORIZATIONS_KEPT; index++) {
      await authorizations.put({ ...one(`${index}`), expiresAtMs: NOW_MS + 1_000 + index });
    }
    const isThere = async (hash: string) => (await authorizations.find(`${ann} ${hash}`, NOW_MS)) !== undefined;
    expect(await Promise.all(['0', '1', `${AUTHORIZATIONS_KEPT}`, 'of bob'].map(isThere))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
}
