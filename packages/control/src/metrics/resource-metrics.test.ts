import { type AccountFixture, createAccountFixture } from '@berth/accounts/testing';
import type { InstanceEvent } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import { expect, test } from 'vitest';
import { mergePoints } from './merge-points.ts';
import { createResourceMetrics } from './resource-metrics.ts';
import { createResourceRecorder, FLUSH_MS, MINUTE_MS } from './resource-recorder.ts';
import type { DeploymentUsage } from './resource-usage-store.ts';

const MIB = 2 ** 20;

type Use = Partial<Extract<InstanceEvent, { kind: 'measured' }>>;

function measured(account: string, use: Use): InstanceEvent {
  const source = { account, deployment: 'shop', revision: 'shop-00001', instance: 'inst_1', timeMs: 0 };
  return { ...source, kind: 'measured', spanMs: 10_000, cpuMs: 0, memoryBytes: MIB, ...use };
}

const timeOf = (epochMs: number) => new Date(epochMs).toISOString().replace('.000Z', 'Z');

/** On a whole hour, so that steps of any length begin there. */
async function toWholeHour({ clock }: AccountFixture): Promise<number> {
  await clock.elapse(3_600_000 - (clock.nowMs() % 3_600_000));
  return clock.nowMs();
}

test('adds up what instances use by minute, over flushes and restarts', async () => {
  await using fixture = await createAccountFixture();
  const { db, clock, logger, other } = fixture;
  const startMs = await toWholeHour(fixture);
  const first = createResourceMetrics({ db, clock, logger });
  const hear = (metrics: typeof first, use: Use) => metrics.gatewayListener.onInstance(measured(other.account.id, use));
  hear(first, { timeMs: startMs + 1_000, cpuMs: 2_000, memoryBytes: 100 * MIB });
  hear(first, { timeMs: startMs + 1_500, cpuMs: 1_000, memoryBytes: 300 * MIB, instance: 'inst_2' });
  await clock.elapse(FLUSH_MS);
  hear(first, { timeMs: startMs + 11_000, cpuMs: 500, memoryBytes: 200 * MIB, spanMs: 20_000 });
  await first.close();
  const second = createResourceMetrics({ db, clock, logger });
  hear(second, { timeMs: startMs + MINUTE_MS, cpuMs: 7 });
  const account = other.account.id as AccountId;
  expect(mergePoints([], await second.list(account, 'shop', startMs + 59_999, MINUTE_MS))).toEqual([
    {
      time: timeOf(startMs),
      requests: 0,
      errors: 0,
      p50_ms: 0,
      p95_ms: 0,
      p99_ms: 0,
      cold_starts: 0,
      instances: 2,
      cold_start_ms: null,
      cpu_seconds: 3.5,
      memory_bytes: 200 * MIB,
      memory_max_bytes: 300 * MIB,
    },
    expect.objectContaining({ time: timeOf(startMs + MINUTE_MS), cpu_seconds: 0.007 }),
  ]);
  expect(await second.list(account, 'shop', startMs, 2 * MINUTE_MS)).toMatchObject([{ cpuMs: 3_507, instances: 2 }]);
  expect(await second.list(account, 'shop', startMs + MINUTE_MS, MINUTE_MS)).toHaveLength(1);
  expect(await second.list(account, 'blog', startMs, MINUTE_MS)).toEqual([]);
  const { id: operator } = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '!=', account)
    .executeTakeFirstOrThrow();
  expect(await second.list(operator as AccountId, 'shop', startMs, MINUTE_MS)).toEqual([]);
  await second.close();
});

test('keeps a week', async () => {
  await using fixture = await createAccountFixture();
  const { db, clock, logger, other } = fixture;
  const startMs = await toWholeHour(fixture);
  const metrics = createResourceMetrics({ db, clock, logger });
  metrics.gatewayListener.onInstance(measured(other.account.id, { timeMs: startMs - 8 * 24 * 3_600_000 }));
  metrics.gatewayListener.onInstance(measured(other.account.id, { timeMs: startMs - 7 * 24 * 3_600_000 }));
  const rows = () => metrics.list(other.account.id as AccountId, 'shop', 0, MINUTE_MS);
  expect(await rows()).toHaveLength(2);
  await clock.elapse(FLUSH_MS);
  await expect.poll(rows).toHaveLength(1);
  await metrics.close();
});

test('what cannot be written is kept, and written once', async () => {
  await using fixture = await createAccountFixture();
  const { clock, logger } = fixture;
  const written: DeploymentUsage[] = [];
  let isFull = true;
  const store = {
    async add(rows: readonly DeploymentUsage[]) {
      if (isFull) throw new Error('disk full');
      written.push(...rows);
    },
    list: async () => [],
    removeBefore: async () => {},
  };
  const recorder = createResourceRecorder({ store, clock, logger });
  recorder.onInstance(measured('acct_a', { cpuMs: 1 }));
  const failed = recorder.flush();
  recorder.onInstance(measured('acct_a', { cpuMs: 2, instance: 'inst_2' }));
  await expect(failed).rejects.toThrow('disk full');
  isFull = false;
  await recorder.flush();
  await recorder.close();
  expect(written).toMatchObject([{ account: 'acct_a', cpuMs: 3, instances: 2, memoryMaxBytes: MIB }]);
});
