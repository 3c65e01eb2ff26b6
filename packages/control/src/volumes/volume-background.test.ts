import { createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createSoleCluster } from '../cluster/cluster.ts';
import { createLeases } from '../cluster/leases.ts';
import { ALICE, createVolumeFixture, type VolumeFixture } from './testing/volume-fixture.ts';
import { createVolumeCollector, KEPT_MS } from './volume-collector.ts';
import { createVolumeCounts } from './volume-counts.ts';

const DAY_MS = 24 * 3_600_000;

const logger = createSilentLogger();
const leasesOf = ({ db, clock }: VolumeFixture) =>
  createLeases({ db, clock, logger, cluster: createSoleCluster(clock) });
const collectorOf = (fixture: VolumeFixture) =>
  createVolumeCollector({ ...fixture, logger, leases: leasesOf(fixture) });
const sizes = async ({ db }: VolumeFixture) =>
  db.selectFrom('volumes').select(['name', 'size_bytes', 'object_count']).orderBy('name').execute();

test('a deleted volume is kept for 7 days, then removed with its bytes', async () => {
  await using fixture = await createVolumeFixture();
  await fixture.seed('data', 'a');
  const place = await fixture.volumes.placeOf('acc_alice' as never, 'data');
  await fixture.call('POST', '/v1/volume/delete', { name: 'data' });
  const collector = collectorOf(fixture);
  fixture.clock.advance(KEPT_MS);
  await collector.collect();
  expect(await fixture.store.measure(place)).toMatchObject({ objectCount: 1 });
  fixture.clock.advance(1);
  await collector.collect();
  expect(await fixture.store.measure(place)).toMatchObject({ objectCount: 0 });
  expect((await fixture.call('POST', '/v1/volume/restore', { name: 'data' })).status).toBe(404);
});

test('a deleted volume takes no more transfers: here at once, and within a second when another server deletes it', async () => {
  await using fixture = await createVolumeFixture();
  const { db, clock, volumes } = fixture;
  await fixture.seed('data', 'a');
  await fixture.seed('other', 'a');
  const data = await volumes.placeOf(ALICE, 'data');
  const other = await volumes.placeOf(ALICE, 'other');
  expect([await volumes.has(data), await volumes.has(other)]).toEqual([true, true]);
  await fixture.call('POST', '/v1/volume/delete', { name: 'data' });
  expect(await volumes.has(data)).toBe(false);
  expect(await volumes.has(other)).toBe(true);
  await db.deleteFrom('volumes').where('name', '=', 'other').execute();
  clock.advance(1_000);
  expect(await volumes.has(other)).toBe(false);
});

test('one that cannot be removed is tried again, and keeps no other from it', async () => {
  await using fixture = await createVolumeFixture();
  let isFailing = true;
  const removed: string[] = [];
  const store = {
    async removeVolume({ storageId }: { readonly storageId: string }) {
      if (isFailing && storageId.startsWith('bad')) throw new Error('busy');
      removed.push(storageId.split('.')[0] as string);
    },
  };
  for (const name of ['bad', 'good']) {
    await fixture.seed(name);
    await fixture.call('POST', '/v1/volume/delete', { name });
  }
  fixture.clock.advance(8 * DAY_MS);
  const collector = createVolumeCollector({ ...fixture, store, logger, leases: leasesOf(fixture) });
  await collector.collect();
  expect(removed).toEqual(['good']);
  isFailing = false;
  await collector.collect();
  expect(removed).toEqual(['good', 'bad']);
});

test('what goes over Berth is written within a second, however much it is', async () => {
  await using fixture = await createVolumeFixture();
  await fixture.seed('data');
  const place = await fixture.volumes.placeOf('acc_alice' as never, 'data');
  for (let index = 0; index < 100; index++) fixture.volumes.noteChange(place, { sizeBytes: 10, objectCount: 1 });
  fixture.volumes.noteChange(place, { sizeBytes: -5, objectCount: -1 });
  expect(await sizes(fixture)).toMatchObject([{ size_bytes: 0, object_count: 0 }]);
  fixture.clock.advance(1_000);
  await waitUntil('the counts are written', async () => (await sizes(fixture))[0]?.object_count === 99);
  expect(await sizes(fixture)).toMatchObject([{ size_bytes: 995, object_count: 99 }]);
  fixture.volumes.noteChange(place, { sizeBytes: -10_000, objectCount: -1_000 });
  await fixture.volumes.close();
  expect(await sizes(fixture)).toMatchObject([{ size_bytes: 0, object_count: 0 }]);
});

test('what services write is counted in rounds, and a volume that cannot be counted keeps no other from it', async () => {
  await using fixture = await createVolumeFixture();
  await fixture.seed('a', 'one', 'two');
  await fixture.seed('b', 'three');
  await fixture.attach('web', 'b');
  const store: Pick<typeof fixture.store, 'measure'> = {
    measure: (place, options) =>
      place.storageId.startsWith('a') ? Promise.reject(new Error('gone')) : fixture.store.measure(place, options),
  };
  const counts = createVolumeCounts({ ...fixture, store, logger, leases: leasesOf(fixture) });
  counts.start();
  await waitUntil('the first round is done', async () => (await sizes(fixture))[1]?.object_count === 1);
  const place = await fixture.volumes.placeOf('acc_alice' as never, 'b');
  await waitUntil('the pause began', () => fixture.clock.pending > 0);
  fixture.store.seed(place, 'four', 'four');
  fixture.clock.advance(10 * 60_000);
  await waitUntil('the second round is done', async () => (await sizes(fixture))[1]?.size_bytes === 9);
  await fixture.db.deleteFrom('volume_attachments').execute();
  fixture.store.seed(place, 'five', 'five');
  for (let minutes = 10; minutes < 6 * 60; minutes += 10) {
    await waitUntil('the pause began', () => fixture.clock.pending > 0);
    fixture.clock.advance(10 * 60_000);
  }
  await waitUntil('the pause began', () => fixture.clock.pending > 0);
  expect((await sizes(fixture))[1]?.size_bytes).toBe(9);
  fixture.clock.advance(20 * 60_000);
  await waitUntil('it is counted after six hours', async () => (await sizes(fixture))[1]?.size_bytes === 13);
  await counts.close();
});
