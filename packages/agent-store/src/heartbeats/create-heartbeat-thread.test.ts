import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { findPostgres, NO_POSTGRES, startPostgres } from '@berth/postgres/testing';
import { createRecordingLogger, waitUntil } from '@berth/testkit';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { AgentDatabase } from '../database/agent-database.ts';
import { openAgentDatabase } from '../database/open-agent-database.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { createSqlStores } from '../sql/create-sql-stores.ts';
import { createHeartbeatThread } from './create-heartbeat-thread.ts';
import type { HeartbeatPlace } from './heartbeats.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);
const clock = createSystemClock();
const ANN = 'ann' as OwnerKey;
const INSTANCE = 'one';
const LEASE_MS = 60_000;

/** A database with runs of this process, and a thread that writes their heartbeats. */
async function openBeating(isPostgres: boolean, { keepMs = 600_000 } = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'heartbeats-'));
  const server = isPostgres ? await startPostgres(programs as string) : undefined;
  const place = { dataFolder: folder, url: server?.url, agent: { name: 'helper', project: 'p' } };
  const database: AgentDatabase = await openAgentDatabase({ place, logger: createSilentLogger() });
  const stores = createSqlStores(database);
  const lines: string[] = [];
  const lost: string[] = [];
  const thread = createHeartbeatThread({
    place: database.heartbeatPlace as HeartbeatPlace,
    program: new URL('./heartbeat-thread.ts', import.meta.url),
    ...{ instance: INSTANCE, intervalMs: 20, keepMs, leaseMs: LEASE_MS, clock, logger: createRecordingLogger(lines) },
  });
  const heartbeats = thread.forRuns((runIds) => void lost.push(...runIds));
  const beatAtMs = async (id: string) => (await stores.runs.find(ANN, id))?.heartbeatAtMs ?? 0;
  return {
    ...{ database, stores, thread, heartbeats, lines, lost, server },
    async begin(id: string, instance = INSTANCE) {
      heartbeats.add(id);
      await stores.runs.begin({ id, owner: ANN, chatId: id, instance, nowMs: 1, staleBeforeMs: 0 });
      heartbeats.begun(id);
    },
    beatAtMs,
    async untilBeaten(id: string) {
      const last = await beatAtMs(id);
      await waitUntil(`${id} has another heartbeat`, async () => (await beatAtMs(id)) > last, 60_000);
    },
    async [Symbol.asyncDispose]() {
      await thread.close();
      await stores.close();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const databases = [['SQLite', false], ...(programs ? [['Postgres', true] as const] : [])] as const;

describe.each(databases)('heartbeats on %s', (_name, isPostgres) => {
  // Fails when the status or the instance of a run is not compared, or a run that isn't stored yet counts as lost.
  test('go on for the runs of this process, and report those that it has lost', async () => {
    await using beating = await openBeating(isPostgres);
    beating.heartbeats.add('not-stored-yet');
    await beating.begin('ended');
    await beating.begin('taken', 'another');
    await beating.begin('mine');
    await beating.untilBeaten('mine');
    await beating.stores.runs.settle('ended', {
      ...{ attempt: 1, status: 'interrupted', messages: [], costMicroUsd: 0, nowMs: 2, keepFramesUntilMs: 3 },
    });
    await waitUntil('both are reported', () => beating.lost.length === 2, 60_000);
    await beating.untilBeaten('mine');
    expect([beating.lost.sort(), beating.lines]).toEqual([['ended', 'taken'], []]);
    expect(await beating.beatAtMs('taken')).toBe(1);
  }, 120_000);

  // Fails when `remove` is not passed on, or a run is kept alive however long it takes.
  test('end for a run that is removed, and for one that takes longer than any turn', async () => {
    await using beating = await openBeating(isPostgres, { keepMs: 2_000 });
    await beating.begin('removed');
    await beating.untilBeaten('removed');
    beating.heartbeats.remove('removed');
    await beating.begin('endless');
    await beating.untilBeaten('endless');
    const last = await beating.beatAtMs('removed');
    // A run that begins later has heartbeats after the others had their last one.
    await waitUntil('the time of `endless` is over', async () => {
      const before = await beating.beatAtMs('endless');
      const probe = `probe-${performance.now()}`;
      await beating.begin(probe);
      await beating.untilBeaten(probe);
      return (await beating.beatAtMs('endless')) === before;
    });
    expect(await beating.beatAtMs('removed')).toBe(last);
    expect(beating.lost).toEqual([]);
  }, 120_000);

  // Fails when a lease is extended that another instance holds, that was removed, or for longer than its attempt may take.
  test('extend the leases of the tasks of this process', async () => {
    await using beating = await openBeating(isPostgres);
    const { tasks } = beating.stores;
    const add = async (id: string, holder = INSTANCE) => {
      await tasks.add({ id, owner: ANN, name: 't', input: 'null', runAtMs: 0, nowMs: 0 });
      await tasks.claim({ names: ['t'], holder, nowMs: 1, leaseUntilMs: 2, limit: 1 });
    };
    /** Ids of the tasks whose leases ended before now. */
    const expired = async () => (await tasks.listExpired(['t'], clock.nowMs(), 10)).map(({ id }) => id).sort();
    for (const id of ['mine', 'removed', 'over']) await add(id);
    await add('taken', 'another');
    expect(await expired()).toEqual(['mine', 'over', 'removed', 'taken']);
    beating.thread.tasks.add('removed', 600_000);
    beating.thread.tasks.remove('removed');
    beating.thread.tasks.add('over', -1);
    beating.thread.tasks.add('taken', 600_000);
    beating.thread.tasks.add('mine', 600_000);
    const leaseOf = async () =>
      (await beating.database.db.selectFrom('tasks').select('lease_until').where('id', '=', 'mine').execute())[0]
        ?.lease_until ?? 0;
    for (let beats = 0; beats < 2; beats++) {
      const last = await leaseOf();
      await waitUntil('the lease is extended', async () => (await leaseOf()) > last, 60_000);
    }
    expect(await expired()).toEqual(['over', 'removed', 'taken']);
    expect((await leaseOf()) - clock.nowMs()).toBeLessThanOrEqual(LEASE_MS);
    // The heartbeats of turns go on beside them.
    await beating.begin('turn');
    await beating.untilBeaten('turn');
    expect([beating.lost, beating.lines]).toEqual([[], []]);
  }, 120_000);

  // Fails when a run that begins after the thread has ended starts no other one.
  test('start again with the first run after a pause', async () => {
    await using beating = await openBeating(isPostgres);
    for (const id of ['one', 'two']) {
      await beating.begin(id);
      await beating.untilBeaten(id);
      beating.heartbeats.remove(id);
      await waitUntil('the thread ends', () => beating.lines.some((line) => line.includes('thread ended')), 60_000);
      beating.lines.length = 0;
    }
    expect(beating.lost).toEqual([]);
  }, 120_000);
});

describe.skipIf(!programs)(programs ? 'heartbeats on a real Postgres' : `heartbeats: ${NO_POSTGRES}`, () => {
  // Fails without `skip locked`: a transaction that a blocked thread holds open stops the heartbeats of all runs.
  test('pass over a run whose row is locked, and it is not lost', async () => {
    await using beating = await openBeating(true);
    await beating.begin('locked');
    await beating.begin('free');
    await beating.untilBeaten('locked');
    await beating.database.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('runs').set({ stop_requested: 1 }).where('id', '=', 'locked').execute();
      for (let beats = 0; beats < 3; beats++) await beating.untilBeaten('free');
    });
    await beating.untilBeaten('locked');
    expect([beating.lost, beating.lines]).toEqual([[], []]);
  }, 120_000);

  // Fails when no one waits for the lock: the row then has an old heartbeat when the lock ends, and the run is ended as stale.
  test('are the first write to a run after its row was locked', async () => {
    await using beating = await openBeating(true);
    await beating.begin('locked');
    await beating.untilBeaten('locked');
    const { db } = beating.database;
    const waiters = async (count: number) => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
        where wait_event_type = 'Lock' and query ~ 'runs'`.execute(db);
      return rows[0]?.n === count;
    };
    let settled: Promise<boolean> | undefined;
    await db.transaction().execute(async (transaction) => {
      await sql`select id from runs for update`.execute(transaction);
      await waitUntil('the heartbeat waits', () => waiters(1), 60_000);
      // As another instance, for which the heartbeat is too old.
      const lastMs = await beating.beatAtMs('locked');
      settled = beating.stores.runs.settle('locked', {
        ...{ attempt: 1, status: 'interrupted', messages: [], costMicroUsd: 0, nowMs: 2, keepFramesUntilMs: 3 },
        stale: { beforeMs: lastMs + 1, lastSeq: 0 },
      });
      await waitUntil('the other instance waits', () => waiters(2), 60_000);
    });
    expect(await settled).toBe(false);
    await beating.untilBeaten('locked');
    expect([beating.lost, beating.lines]).toEqual([[], []]);
  }, 120_000);

  // Fails when a broken connection is used again, or ends the thread.
  test('go on after the connection broke', async () => {
    await using beating = await openBeating(true);
    await beating.begin('mine');
    await beating.untilBeaten('mine');
    await beating.server?.stop();
    await waitUntil('the failure is logged', () => beating.lines.length > 0, 60_000);
    await beating.server?.start();
    await waitUntil('the recovery is logged', () => beating.lines.length > 1, 60_000);
    await beating.untilBeaten('mine');
    expect(beating.lines.map((line) => (JSON.parse(line) as { readonly message: string }).message)).toEqual([
      "heartbeats of turns and tasks can't be written",
      'heartbeats of turns and tasks are being written again',
    ]);
  }, 120_000);
});
