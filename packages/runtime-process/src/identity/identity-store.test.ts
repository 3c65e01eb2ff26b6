import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { openIdentityStore, readUserIds } from './identity-store.ts';
import { openSharedGroups } from './shared-groups.ts';

const RANGE = { first: 300_000, count: 1_000 };

test('every owner has an id of its own, the account one for all', async () => {
  await using folder = await createTemporaryFolder();
  const store = await openIdentityStore(join(folder.path, 'users.json'), RANGE);
  const owners = ['a', 'b', 'c'].map((deployment) => ({ account: 'acme', deployment }));
  const identities = await Promise.all([...owners, { account: 'other', deployment: 'a' }].map(store.of));
  expect(new Set(identities.map(({ uid }) => uid)).size).toBe(4);
  expect(new Set(identities.map(({ accountGid }) => accountGid)).size).toBe(2);
  const all = identities.flatMap(({ uid, accountGid }) => [uid, accountGid]);
  expect(new Set(all).size).toBe(6);
  expect(Math.min(...all)).toBe(RANGE.first);
  expect(store.userIds()).toEqual(new Set(identities.map(({ uid }) => uid)));
});

test('an account may have its group before it has an owner, and keeps it', async () => {
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'users.json');
  const store = await openIdentityStore(file, RANGE);
  const [gid, again, other] = await Promise.all(['acme', 'acme', 'other'].map(store.groupOf));
  expect(again).toBe(gid);
  expect(other).not.toBe(gid);
  expect((await store.of({ account: 'acme', deployment: 'a' })).accountGid).toBe(gid);
  const next = await openIdentityStore(file, RANGE);
  expect(await next.groupOf('acme')).toBe(gid);
});

test('asked at once for the same owner, it answers the same', async () => {
  await using folder = await createTemporaryFolder();
  const store = await openIdentityStore(join(folder.path, 'users.json'), RANGE);
  const owner = { account: 'acme', deployment: 'a' };
  const identities = await Promise.all([store.of(owner), store.of(owner), store.of(owner)]);
  expect(new Set(identities.map(({ uid }) => uid)).size).toBe(1);
});

test('names that could be taken for others are not', async () => {
  await using folder = await createTemporaryFolder();
  const store = await openIdentityStore(join(folder.path, 'users.json'), RANGE);
  const pairs = [
    ['a', 'b/c'],
    ['a/b', 'c'],
    ['a","b', 'c'],
    ['constructor', 'toString'],
    ['__proto__', '__proto__'],
  ] as const;
  const identities = await Promise.all(pairs.map(([account, deployment]) => store.of({ account, deployment })));
  const ids = identities.flatMap(({ uid, accountGid }) => [uid, accountGid]);
  expect(ids.every(Number.isInteger)).toBe(true);
  expect(new Set(ids).size).toBe(2 * pairs.length);
});

test('an id is on disk when it is answered, and never given to another owner', async () => {
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'users.json');
  const first = await openIdentityStore(file, RANGE);
  const owner = { account: 'acme', deployment: 'a' };
  const { uid } = await first.of(owner);
  expect(readUserIds(file)).toEqual(new Set([uid]));
  const second = await openIdentityStore(file, { first: 900_000, count: 5 });
  expect(second.range).toEqual(RANGE);
  expect((await second.of(owner)).uid).toBe(uid);
  await second.forget(owner);
  await second.forget(owner);
  const third = await openIdentityStore(file, RANGE);
  expect((await third.of({ account: 'acme', deployment: 'b' })).uid).not.toBe(uid);
  expect((await third.of(owner)).uid).not.toBe(uid);
});

test('a range that is used up is out_of_capacity', async () => {
  await using folder = await createTemporaryFolder();
  const store = await openIdentityStore(join(folder.path, 'users.json'), { first: 300_000, count: 2 });
  await store.of({ account: 'acme', deployment: 'a' });
  await expect(store.of({ account: 'acme', deployment: 'b' })).rejects.toMatchObject({ code: 'out_of_capacity' });
  expect(await store.of({ account: 'acme', deployment: 'a' })).toBeDefined();
});

test.each(['', '{', '{"version":2}', '{"version":1,"owners":{"x":"y"}}'])(
  'a damaged file %j is not guessed at',
  async (text) => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, 'users.json');
    await writeFile(file, text);
    await expect(openIdentityStore(file, RANGE)).rejects.toThrow(file);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

// Fails when each server chooses by itself: the volumes of a shared folder would change hands with every start.
test('servers with a shared folder give an account one group, and another to each other account', async () => {
  await using folder = await createTemporaryFolder();
  const names = Array.from({ length: 40 }, (_, index) => `account ${index}`);
  // So few that accounts begin their search at the same group.
  const groups = () => openSharedGroups(join(folder.path, 'groups'), { first: 900_000, count: 50 });
  const servers = await Promise.all(
    ['one', 'two'].map((name, index) =>
      openIdentityStore(join(folder.path, name), { first: RANGE.first + index * 1_000, count: 1_000 }, groups()),
    ),
  );
  const found = await Promise.all(servers.map((server) => Promise.all(names.map(server.groupOf))));
  expect(found[0]).toEqual(found[1]);
  expect(new Set(found[0]).size).toBe(40);
  const [one, two] = await Promise.all(servers.map((server) => server.of({ account: 'account 1', deployment: 'a' })));
  expect(one?.accountGid).toBe(two?.accountGid);
  expect(one?.uid).not.toBe(two?.uid);
  expect(await readdir(join(folder.path, 'groups'))).toHaveLength(40);
});

test('a group from before the folder was shared is no longer used', async () => {
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'users.json');
  const before = await (await openIdentityStore(file, RANGE)).groupOf('acme');
  const groups = openSharedGroups(join(folder.path, 'groups'));
  const shared = await openIdentityStore(file, RANGE, groups);
  const identity = await shared.of({ account: 'acme', deployment: 'a' });
  expect(identity.accountGid).not.toBe(before);
  expect(groups.has(identity.accountGid)).toBe(true);
  expect(await shared.groupOf('acme')).toBe(identity.accountGid);
});
