import { LIMITS } from '@berth/contract';
import type { Database } from '@berth/database';
import { type AccountId, backoffMs } from '@berth/kit';
import { type Kysely, sql } from 'kysely';
import { type Cluster, leaseTime } from '../cluster/cluster.ts';
import { createGroupCommit } from './group-commit.ts';
import { NEVER_MS } from './schedule-store.ts';

/** An attempt that this process makes. */
export interface ClaimedAttempt {
  readonly runId: string;
  readonly accountId: AccountId;
  readonly deployment: string;
  /** From 1. */
  readonly attempt: number;
  readonly scheduledAtMs: number;
}

/** The outcome of an attempt. */
export interface AttemptOutcome {
  /** The status that the service answered; null without an answer. */
  readonly status: number | null;
  /** Why the attempt failed; null when it succeeded. */
  readonly error: string | null;
}

interface Ended {
  readonly attempt: ClaimedAttempt;
  readonly outcome: AttemptOutcome;
}

/** The state of a run after an attempt. */
export interface RecordedEnd {
  readonly status: 'succeeded' | 'pending' | 'failed' | 'cancelled';
  /** Epoch milliseconds, wall clock; null when it has ended. */
  readonly nextAttemptAtMs: number | null;
}

export interface RunLeasesOptions {
  readonly db: Kysely<Database>;
  readonly cluster: Pick<Cluster, 'owner' | 'nowMs'>;
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

/** The backoff between the five attempts: 10, 20, 40 and 80 s. */
const BACKOFF = { baseMs: 10_000, maxMs: 300_000 };

const BROKEN_OFF = 'The platform stopped during this attempt.';

/**
 * Leases that decide which process makes which attempts.
 *
 * L1 An attempt is recorded before it is made, so that one that a crash interrupted is known.
 * L2 Only the process that holds the run's lease makes an attempt and records its outcome. The number of the attempt is the epoch: it rises
 *    whenever a process takes the run.
 * L3 A run whose lease expired is retried, as after any failure.
 */
export type RunLeases = ReturnType<typeof createRunLeases>;

export function createRunLeases({ db, cluster, leaseMs, nowMs }: RunLeasesOptions) {
  const { owner } = cluster;
  /** Ends an attempt within a transaction, if `holder` still holds the run. */
  const end = async (
    transaction: Kysely<Database>,
    { runId, deployment, attempt }: ClaimedAttempt,
    { status, error }: AttemptOutcome,
    holder: string | null,
  ): Promise<RecordedEnd | undefined> => {
    const now = nowMs();
    const isScheduled = await transaction
      .selectFrom('schedules')
      .select('deployment')
      .where('deployment', '=', deployment)
      .executeTakeFirst();
    const isAgain = error !== null && attempt < LIMITS.scheduleAttempts && isScheduled !== undefined;
    const failure = isAgain ? 'pending' : isScheduled === undefined ? 'cancelled' : 'failed';
    const after: RecordedEnd = {
      status: error === null ? 'succeeded' : failure,
      nextAttemptAtMs: isAgain ? now + backoffMs(attempt - 1, BACKOFF) : null,
    };
    const ended = await transaction
      .updateTable('schedule_runs')
      .set({
        status: after.status,
        next_attempt_at: after.nextAttemptAtMs,
        ended_at: isAgain ? null : now,
        lease_owner: null,
        lease_expires_at: null,
      })
      .where('id', '=', runId)
      .where('status', '=', 'running')
      .where('attempts', '=', attempt)
      .where('lease_owner', '=', holder)
      .executeTakeFirst();
    if (ended.numUpdatedRows === 0n) return undefined;
    await transaction
      .updateTable('schedule_attempts')
      .set({ ended_at: now, response_status: status, error })
      .where('run_id', '=', runId)
      .where('number', '=', attempt)
      .execute();
    return after;
  };

  const commit = createGroupCommit<Ended, RecordedEnd | undefined>((items) =>
    db.transaction().execute(async (transaction) => {
      const ends: (RecordedEnd | undefined)[] = [];
      for (const { attempt, outcome } of items) ends.push(await end(transaction, attempt, outcome, owner));
      return ends;
    }),
  );

  return {
    /** Begins at most `limit` due attempts, the longest due first. */
    async claim(limit: number): Promise<ClaimedAttempt[]> {
      const now = nowMs();
      return db.transaction().execute(async (transaction) => {
        const runs = await transaction
          .updateTable('schedule_runs')
          .set((eb) => ({
            status: 'running',
            attempts: eb('attempts', '+', 1),
            next_attempt_at: null,
            lease_owner: owner,
            lease_expires_at: leaseTime(cluster, leaseMs),
          }))
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('schedule_runs')
              .select('id')
              // A literal, because SQLite uses the partial index of pending runs only for a literal.
              .where('status', '=', sql.lit('pending'))
              .where('next_attempt_at', '<=', now)
              .orderBy('next_attempt_at')
              .limit(limit),
          )
          .where('status', '=', 'pending')
          .returningAll()
          .execute();
        if (runs.length === 0) return [];
        await transaction
          .insertInto('schedule_attempts')
          .values(
            runs.map((run) => ({
              run_id: run.id,
              number: run.attempts,
              account_id: run.account_id,
              started_at: now,
              ended_at: null,
              response_status: null,
              error: null,
            })),
          )
          .execute();
        return runs.map(toClaimed);
      });
    },
    /** Records the outcome of an attempt. Returns undefined when another process holds the run, or it was deleted. */
    record: (attempt: ClaimedAttempt, outcome: AttemptOutcome): Promise<RecordedEnd | undefined> =>
      commit({ attempt, outcome }),
    /** Extends the leases of this process's attempts. Returns those that it still holds. */
    async renew(attempts: readonly ClaimedAttempt[]): Promise<ClaimedAttempt[]> {
      if (attempts.length === 0) return [];
      const rows = await db
        .updateTable('schedule_runs')
        .set({ lease_expires_at: leaseTime(cluster, leaseMs) })
        .where(
          'id',
          'in',
          attempts.map(({ runId }) => runId),
        )
        .where('lease_owner', '=', owner)
        .returning(['id', 'attempts'])
        .execute();
      const held = new Map(rows.map((row) => [row.id, row.attempts]));
      return attempts.filter(({ runId, attempt }) => held.get(runId) === attempt);
    },
    /**
     * Abandons attempts whose lease expired; with `isForced` those of every other process, which is right only when
     * no other can be alive.
     */
    async takeOver(isForced: boolean): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        const runs = await transaction
          .selectFrom('schedule_runs')
          .selectAll()
          .where('status', '=', sql.lit('running'))
          .where((eb) => (isForced ? eb('lease_owner', '!=', owner) : eb('lease_expires_at', '<=', cluster.nowMs())))
          .execute();
        for (const run of runs) {
          await end(transaction, toClaimed(run), { status: null, error: BROKEN_OFF }, run.lease_owner);
        }
      });
    },
    /** When the next attempt is due; {@link NEVER_MS}: never. */
    async nextMs(): Promise<number> {
      const row = await db
        .selectFrom('schedule_runs')
        .select('next_attempt_at')
        .where('status', '=', sql.lit('pending'))
        .orderBy('next_attempt_at')
        .limit(1)
        .executeTakeFirst();
      return row?.next_attempt_at ?? NEVER_MS;
    },
  };
}

function toClaimed(run: {
  readonly id: string;
  readonly account_id: string;
  readonly deployment: string;
  readonly attempts: number;
  readonly scheduled_at: number;
}): ClaimedAttempt {
  return {
    runId: run.id,
    accountId: run.account_id as AccountId,
    deployment: run.deployment,
    attempt: run.attempts,
    scheduledAtMs: run.scheduled_at,
  };
}
