import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Owner } from '@berth/runtime';
import { expect, test } from 'vitest';
import { createBuilderFixture, OWNER } from './testing/builder-fixture.ts';

const NODE_APP = {
  'package.json': JSON.stringify({ name: 'shop', scripts: { start: 'node server.js' } }),
  'server.js': '',
};
const deferred = () => Promise.withResolvers<void>();

// Fails when `whenIdle` doesn't check for a running build (its home is removed), or when `deploying` is left out (its
// artifact is removed).
test('prune removes caches and leftovers during a build, but none of that build', async () => {
  await using fixture = await createBuilderFixture();
  const other = { account: 'account_one', deployment: 'other' };
  const kept = await fixture.build(NODE_APP, { revision: 'kept' });
  await fixture.build(NODE_APP, { revision: 'lost', owner: other });
  await fixture.build(NODE_APP, { revision: 'deploying', owner: { account: 'account_two', deployment: 'new' } });
  const cacheOf = (owner: Owner) => join(fixture.root, 'cache', owner.account, owner.deployment, 'home');
  for (const owner of [OWNER, other]) {
    await mkdir(cacheOf(owner), { recursive: true });
    await writeFile(join(cacheOf(owner), 'package'), Buffer.alloc(100_000, 1));
  }
  const archives = await readdir(join(fixture.root, 'archives'));
  const [old = '', needed = '', fresh = ''] = archives;
  for (const name of [old, needed]) await utimes(join(fixture.root, 'archives', name), 0, 0);
  const prune = (isDryRun: boolean) =>
    fixture.builder.prune({
      isDryRun,
      readNeeded: async () => ({
        artifacts: [kept.result.artifact],
        archives: [{ path: join(fixture.root, 'archives', needed), sizeBytes: 0, sha256: '' }],
        deploying: [{ account: 'account_two', deployment: 'new' }],
      }),
    });

  const [detected, release] = [deferred(), deferred()];
  const running = fixture.build(NODE_APP, {
    revision: 'running',
    onLine: ({ line }) => {
      if (!line.startsWith('Detected')) return;
      detected.resolve();
      return release.promise;
    },
  });
  await detected.promise;
  const planned = await prune(true);
  expect(await readdir(cacheOf(other))).toEqual(['package']);
  const removed = await prune(false);
  expect(removed).toEqual(planned);
  expect(removed.map(({ what, count }) => [what, count])).toEqual([
    ['caches', 1],
    ['artifacts', 1],
    ['archives', 1],
  ]);
  expect(removed.every(({ sizeBytes }) => (sizeBytes ?? 0) > 0)).toBe(true);
  expect(await readdir(cacheOf(OWNER))).toEqual(['package']);
  release.resolve();
  await running;
  expect((await fixture.artifacts()).filter((path) => path.split('/').length === 3)).toEqual([
    'account_one/shop/kept',
    'account_one/shop/running',
    'account_two/new/deploying',
  ]);
  expect(await readdir(join(fixture.root, 'archives'))).toEqual(expect.arrayContaining([needed, fresh]));
  expect(await readdir(join(fixture.root, 'archives'))).not.toContain(old);
});

// Fails when `requireRoom` only checks the disk.
test('a full disk evicts the caches of other builds first', async () => {
  await using fixture = await createBuilderFixture({ limits: { freeDiskBytes: 2 ** 60 } });
  const home = (deployment: string) => join(fixture.root, 'cache/account_one', deployment, 'home');
  for (const deployment of ['shop', 'other']) {
    await mkdir(home(deployment), { recursive: true });
    await writeFile(join(home(deployment), 'package'), 'x');
  }
  const said: string[] = [];
  const build = fixture.build(NODE_APP, { onLine: ({ line }) => void said.push(line) });
  await expect(build).rejects.toMatchObject({ code: 'out_of_capacity' });
  expect(said).toContain("The server's disk is nearly full: other build caches were removed");
  expect(await readdir(join(fixture.root, 'cache/account_one'))).toEqual(['shop']);
});
