import type { StoredArchive } from '@berth/builder';
import type { DeployPage } from '@berth/contract';
import type { AccountId, DeployId } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, it } from 'vitest';
import { settleMovedDeployments } from './queue-rebuilds.ts';
import { createPlatform, type Platform } from './testing/platform.ts';

const ACCOUNT = 'acc_alice' as AccountId;
const archiveOf = (name: string): StoredArchive => ({
  ...{ path: `/moved/${name}`, object: name, sizeBytes: 1, sha256: 'a'.repeat(64) },
});

async function listDeploys(platform: Platform) {
  const answer = await platform.call('GET', '/v1/deploys?name=shop');
  return ((await answer.json()) as DeployPage).deploys.toReversed();
}

// Fails when a rebuild brings back an older revision than a deploy that was waiting, or one of them is lost.
it('rebuilds what serves before the deploys that were waiting, and takes what can not be started', async () => {
  await using platform = await createPlatform();
  const { db } = await platform.boot();
  await platform.deploy('shop');
  await platform.deploy('shop');
  const builds = Promise.withResolvers<void>();
  platform.builder.whenBuilding(() => builds.promise);
  const waiting: Promise<unknown>[] = [];
  for (const count of [3, 4]) {
    waiting.push(platform.deploy('shop'));
    await waitUntil('it is accepted', async () => (await listDeploys(platform)).length === count);
  }

  const rebuild = {
    id: 'dpl_rebuild' as DeployId,
    accountId: ACCOUNT,
    deployment: 'shop',
    archive: archiveOf('shop.tar.gz'),
  };
  const [third = ''] = (await listDeploys(platform)).slice(2).map(({ deploy_id }) => deploy_id);
  const moved = {
    rebuilds: [rebuild],
    archives: new Map([[third, archiveOf('third.tar.gz')]]),
    adopt: () => undefined,
  };
  await db.transaction().execute((transaction) => settleMovedDeployments(transaction, moved, 5));

  const rows = await db.selectFrom('deploys').selectAll().where('ended_at', 'is', null).orderBy('number').execute();
  expect(rows.map(({ id, number }) => [id === 'dpl_rebuild' ? id : '', number])).toEqual([
    ['dpl_rebuild', 3],
    ['', 4],
    ['', 5],
  ]);
  expect(rows.map(({ lease_owner }) => lease_owner)).toEqual([null, null, null]);
  expect(JSON.parse(rows[1]?.archive ?? '')).toMatchObject({ object: 'third.tar.gz' });
  const revisions = await db.selectFrom('revisions').selectAll().orderBy('number').execute();
  expect(revisions.slice(0, 2).map(({ status, artifact }) => [status, artifact === null])).toEqual([
    ['retired', true],
    ['ready', false],
  ]);
  const deployment = await db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
  expect(deployment).toMatchObject({ status: 'building', last_deploy: 'dpl_rebuild' });
  const settings = JSON.parse(rows[0]?.settings ?? '');
  expect(settings).toEqual(JSON.parse(revisions[1]?.settings ?? ''));
  // The process that is alive in this test lost their leases.
  await platform.kill();
  await Promise.race([Promise.allSettled(waiting), builds.resolve()]);
});

it('keeps the artifacts that the new servers have', async () => {
  await using platform = await createPlatform();
  const { db } = await platform.boot();
  await platform.deploy('shop');
  await platform.deploy('shop');
  const moved = { rebuilds: [], archives: new Map(), adopt: (artifact: object) => ({ ...artifact, isAgent: true }) };
  await db.transaction().execute((transaction) => settleMovedDeployments(transaction, moved as never, 5));
  const revisions = await db.selectFrom('revisions').selectAll().execute();
  expect(revisions.map(({ status, artifact }) => [status, JSON.parse(artifact ?? '').isAgent])).toEqual([
    ['ready', true],
    ['ready', true],
  ]);
  expect(await db.selectFrom('deploys').selectAll().where('ended_at', 'is', null).execute()).toEqual([]);
});
