import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import { expect, test } from 'vitest';
import type { LogPlace } from '../ports/segment.ts';
import type { OldestSegment, SegmentCatalogue } from '../ports/segment-catalogue.ts';
import { lineSegmentName } from '../segments/segment-name.ts';
import { createMemoryCatalogue } from '../testing/memory-catalogue.ts';
import type { Compaction } from './compaction.ts';
import { createOldestFinder } from './create-oldest-finder.ts';
import { createMaintenance, type MaintenanceOptions } from './maintenance.ts';

const DAY_MS = 86_400_000;
const ROOT = '/logs';

interface FakeLog extends Compaction {
  /** Jobs left to do. */
  jobs: number;
  /** The error of the next job. */
  failure: Error | undefined;
  /** The age bound of each call of `next`, in days. */
  readonly asked: number[];
  /** The age bound of each call of `trim`, in days. */
  readonly trimmed: number[];
  trimFailure: Error | undefined;
}

function fakeLog(place: LogPlace, jobs = 0): FakeLog {
  return {
    place,
    jobs,
    failure: undefined,
    trimFailure: undefined,
    asked: [],
    trimmed: [],
    async next(maxAgeMs) {
      this.asked.push(maxAgeMs / DAY_MS);
      if (this.failure) throw this.failure;
      return this.jobs-- > 0;
    },
    async trim(maxAgeMs) {
      this.trimmed.push(maxAgeMs / DAY_MS);
      if (this.trimFailure) throw this.trimFailure;
    },
  };
}

/** Time for all pending promise reactions. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function open(
  options: Partial<MaintenanceOptions> & {
    readonly folders?: Readonly<Record<string, string[]>>;
    readonly catalogue?: SegmentCatalogue;
  } = {},
) {
  const clock = createFakeClock(Date.parse('2026-01-31T00:00:00Z'));
  const lines: string[] = [];
  const logs = new Map<string, FakeLog>();
  const logAt = ({ account, deployment }: LogPlace) => {
    const name = `${account}/${deployment}`;
    const log = logs.get(name) ?? fakeLog({ account, deployment });
    logs.set(name, log);
    return log;
  };
  const { folders = {}, catalogue, ...rest } = options;
  const files = { list: async (folder: string) => folders[folder] ?? [] };
  const maintenance = createMaintenance({
    oldest: createOldestFinder({ root: ROOT, files, catalogue }),
    clock,
    logger: createRecordingLogger(lines),
    limits: { maxAgeMs: 30 * DAY_MS, sweepMs: 3_600_000 },
    logAt,
    ...rest,
  });
  const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { maintenance, clock, logs, logAt, logged };
}

/** Folders of logs whose oldest line segment starts on the given day of January. */
function foldersOf(days: Readonly<Record<string, number>>): Record<string, string[]> {
  const folders: Record<string, string[]> = {};
  const add = (folder: string, name: string) => {
    folders[folder] = [...new Set([...(folders[folder] ?? []), name])];
  };
  for (const [log, day] of Object.entries(days)) {
    const [account = '', deployment = ''] = log.split('/');
    const time = `2026-01-${String(day).padStart(2, '0')}T00:00:00.000000000Z`;
    add(ROOT, account);
    add(`${ROOT}/${account}`, deployment);
    for (const name of ['notes.txt', lineSegmentName(time)]) add(`${ROOT}/${account}/${deployment}`, name);
  }
  return folders;
}

// Fails when `run` stops after one job, or starts a log before the one in front of it has ended.
test('logs are compacted one after another, each until nothing is left to do', async () => {
  const { maintenance } = open();
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const log = (name: string, wait?: Promise<void>) => {
    let jobs = 2;
    const place = { account: 'acme', deployment: name };
    const next = async () => {
      order.push(name);
      await wait;
      return jobs-- > 0;
    };
    return { place, next, trim: async () => {} };
  };
  maintenance.add(log('shop', gate.promise));
  maintenance.add(log('blog'));
  await settle();
  expect(order).toEqual(['shop']);
  gate.resolve();
  await maintenance.ended();
  expect(order).toEqual(['shop', 'shop', 'shop', 'blog', 'blog', 'blog']);
});

// Fails when the pause after a failure is forgotten, never ends, or lasts one call less; and when one failure stops the others.
test('a log that fails is left alone for eight further calls, is reported, and holds up no other', async () => {
  const { maintenance, logged } = open();
  const broken = fakeLog({ account: 'acme', deployment: 'shop' });
  const whole = fakeLog({ account: 'acme', deployment: 'blog' }, 1);
  broken.failure = new Error('no space');
  maintenance.add(broken);
  maintenance.add(whole);
  await settle();
  expect([broken.asked.length, whole.asked.length]).toEqual([1, 2]);
  expect(logged()).toMatchObject([{ level: 'warn', deployment: 'shop', error: expect.stringContaining('no space') }]);
  broken.failure = undefined;
  for (let call = 0; call < 8; call++) {
    maintenance.add(broken);
    await settle();
  }
  expect(broken.asked).toHaveLength(1);
  maintenance.add(broken);
  await settle();
  expect(broken.asked).toHaveLength(2);
});

// Fails when the end of the task is noted some promise reactions after its last look at what waits: the log then waits for
// the next call of `add`, which may be days away.
test('a log that is added while the task ends is compacted all the same', async () => {
  for (let reactions = 0; reactions < 10; reactions++) {
    const { maintenance } = open();
    const late = fakeLog({ account: 'acme', deployment: 'late' });
    const place = { account: 'acme', deployment: 'first' };
    const addLater = async () => {
      for (let count = 0; count < reactions; count++) await undefined;
      maintenance.add(late);
    };
    let added: Promise<void> | undefined;
    maintenance.add({
      place,
      trim: async () => {},
      async next() {
        added = addLater();
        return false;
      },
    });
    await settle();
    await added;
    await settle();
    expect([reactions, late.asked.length]).toEqual([reactions, 1]);
  }
});

// Fails when `forget` says yes to the log that is being compacted: two instances would then write one log.
test('a log is not forgotten while it is compacted, and not compacted once it is forgotten', async () => {
  const { maintenance } = open();
  const gate = Promise.withResolvers<boolean>();
  const busy = { ...fakeLog({ account: 'acme', deployment: 'shop' }), next: () => gate.promise };
  const waiting = fakeLog({ account: 'acme', deployment: 'blog' }, 1);
  maintenance.add(busy);
  maintenance.add(waiting);
  await settle();
  expect([maintenance.forget(busy), maintenance.forget(waiting)]).toEqual([false, true]);
  gate.resolve(false);
  await maintenance.ended();
  expect(waiting.asked).toEqual([]);
  expect(maintenance.forget(busy)).toBe(true);
});

// Fails when `stop` leaves the timer, or the loop goes on with the next job; and when the end of the engine is reported as a fault.
test('after stop the running job ends, quietly, and nothing more begins', async () => {
  const folders = foldersOf({ 'acme/shop': 1 });
  const { maintenance, clock, logs, logged } = open({ folders, limits: { maxAgeMs: DAY_MS, sweepMs: 60_000 } });
  const gate = Promise.withResolvers<boolean>();
  let jobs = 0;
  const busy = {
    ...fakeLog({ account: 'acme', deployment: 'busy' }),
    next: () => {
      jobs++;
      return gate.promise;
    },
  };
  const waiting = fakeLog({ account: 'acme', deployment: 'blog' });
  maintenance.add(busy);
  maintenance.add(waiting);
  await settle();
  maintenance.stop();
  const timers = clock.pending;
  maintenance.add(fakeLog({ account: 'acme', deployment: 'late' }));
  gate.reject(new Error('the engine is closed'));
  await maintenance.ended();
  await clock.elapse(DAY_MS);
  expect({ jobs, waiting: waiting.asked, swept: logs.size, logged: logged(), timers }).toEqual({
    jobs: 1,
    waiting: [],
    swept: 0,
    logged: [],
    timers: 0,
  });
});

// Fails when a sweep opens logs that have nothing old, looks into the object store's own folders, or comes only once.
test('a minute after the start, and then at each interval, logs with something old are trimmed, by their account’s plan', async () => {
  const folders = foldersOf({ 'acme/shop': 1, 'acme/blog': 30, 'gold/shop': 1, '.berth/tmp': 1 });
  const { clock, logs } = open({ folders, maxAgeMsOf: async (account) => (account === 'gold' ? 90 : 7) * DAY_MS });
  await clock.elapse(59_999);
  expect([...logs.keys()]).toEqual([]);
  await clock.elapse(1);
  expect([...logs].map(([name, { trimmed, asked }]) => [name, trimmed, asked])).toEqual([['acme/shop', [7], [7]]]);
  await clock.elapse(3_600_000);
  expect(logs.get('acme/shop')?.trimmed).toEqual([7, 7]);
  await clock.elapse(8 * DAY_MS);
  expect([...logs.keys()]).toEqual(['acme/shop', 'acme/blog']);
});

// Fails when the catalog is not asked: segments of a deleted deployment would lie in the bucket for ever.
test('segments that only the catalog knows are swept too, and the older of both times counts', async () => {
  const oldest: OldestSegment[] = [
    { place: { account: 'acme', deployment: 'gone' }, endsAt: '2026-01-02T00:00:00.000000000Z' },
    { place: { account: 'acme', deployment: 'shop' }, endsAt: '2026-01-02T00:00:00.000000000Z' },
    { place: { account: 'acme', deployment: 'young' }, endsAt: '2026-01-30T00:00:00.000000000Z' },
  ];
  const catalogue = { ...createMemoryCatalogue(), oldest: async () => oldest };
  const folders = foldersOf({ 'acme/shop': 31 });
  const { clock, logs } = open({ folders, catalogue, limits: { maxAgeMs: 7 * DAY_MS, sweepMs: 3_600_000 } });
  await clock.elapse(60_000);
  expect([...logs.keys()].sort()).toEqual(['acme/gone', 'acme/shop']);
});

// Fails when an error of one log, or of a whole sweep, ends all sweeps: the disk would fill up in silence.
test('a log that cannot be trimmed is reported and keeps no other from it, nor does a sweep that fails as a whole', async () => {
  const folders = foldersOf({ 'acme/shop': 1, 'acme/blog': 1 });
  let isAway = false;
  const maxAgeMsOf = async () => {
    if (isAway) throw new Error('the database is closed');
    return 7 * DAY_MS;
  };
  const { clock, logs, logAt, logged } = open({ folders, maxAgeMsOf });
  logAt({ account: 'acme', deployment: 'shop' }).trimFailure = new Error('EIO');
  await clock.elapse(60_000);
  expect([...logs.values()].map(({ trimmed, asked }) => [trimmed.length, asked.length])).toEqual([
    [1, 0],
    [1, 1],
  ]);
  isAway = true;
  await clock.elapse(3_600_000);
  isAway = false;
  await clock.elapse(3_600_000);
  expect([...logs.values()].map(({ trimmed }) => trimmed.length)).toEqual([2, 2]);
  expect(logged()).toMatchObject([
    { level: 'warn', deployment: 'shop', error: expect.stringContaining('EIO') },
    { level: 'error', task: 'log sweep', error: expect.stringContaining('the database is closed') },
    { level: 'warn', deployment: 'shop' },
  ]);
});
