import { LIMITS } from '@berth/contract';
import type { Database } from '@berth/database';
import { type AccountId, backoffMs } from '@berth/kit';
import { type Kysely, sql } from 'kysely';
import { createGroupCommit } from './group-commit.ts';
import { NEVER_MS } from './schedule-store.ts';

/** A try that this process makes. */
export interface ClaimedAttempt {
  readonly runId: string;
  readonly accountId: AccountId;
  readonly deployment: string;
  /** From 1. */
  readonly attempt: number;
  readonly scheduledAtMs: number;
}

/** How a try ended. */
export interface AttemptOutcome {
  /** What the service answered; null when it did not. */
  readonly status: number | null;
  /** Why it counts as failed; null when it went well. */
  readonly error: string | null;
}

interface Ended {
  readonly attempt: ClaimedAttempt;
  readonly outcome: AttemptOutcome;
}

/** What a run is after a try. */
export interface RecordedEnd {
  readonly status: 'succeeded' | 'pending' | 'failed' | 'cancelled';
  /** Epoch milliseconds, wall clock; null when it has ended. */
  readonly nextAttemptAtMs: number | null;
}

/**
 * Which process makes which tries.
 *
 * L1 A try is recorded before it is made, so that one that a crash broke off is known.
 * L2 A try is made by the process that holds the run's lease, and its outcome is recorded by nobody else.
 * L3 A run whose lease ran out is tried again, as after any failure.
 */
export interface RunLeases {
  /** Begins at most `limit` of the tries that are due, longest due first. */
  claim(limit: number): Promise<ClaimedAttempt[]>;
  /** Records how a try ended; undefined when another process holds the run by now, or it is gone. */
  record(attempt: ClaimedAttempt, outcome: AttemptOutcome): Promise<RecordedEnd | undefined>;
  /** Extends those of the tries that are under way here. */
  renew(attempts: readonly ClaimedAttempt[]): Promise<void>;
  /**
   * Gives up the tries that nobody makes any more: whose lease ran out; `isForced`: of every other process, right when
   * none can be alive.
   */
  takeOver(isForced: boolean): Promise<void>;
  /** When the next try is due; {@link NEVER_MS}: none. */
  nextMs(): Promise<number>;
}

export interface RunLeasesOptions {
  readonly db: Kysely<Database>;
  /** Unique for this run of this process. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

/** The waits between the five tries: 10, 20, 40 and 80 s. */
const BACKOFF = { baseMs: 10_000, maxMs: 300_000 };

const BROKEN_OFF = 'The platform stopped during this try.';

export function createRunLeases({ db, owner, leaseMs, nowMs }: RunLeasesOptions): RunLeases {
  /** Ends a try within a transaction, unless `holder` does not hold the run any more. */
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
    async claim(limit) {
      const now = nowMs();
      return db.transaction().execute(async (transaction) => {
        const runs = await transaction
          .updateTable('schedule_runs')
          .set((eb) => ({
            status: 'running',
            attempts: eb('attempts', '+', 1),
            next_attempt_at: null,
            lease_owner: owner,
            lease_expires_at: now + leaseMs,
          }))
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('schedule_runs')
              .select('id')
              // Spelled out: the index holds the pending ones, which a parameter would hide.
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
    record: (attempt, outcome) => commit({ attempt, outcome }),
    async renew(attempts) {
      if (attempts.length === 0) return;
      await db
        .updateTable('schedule_runs')
        .set({ lease_expires_at: nowMs() + leaseMs })
        .where(
          'id',
          'in',
          attempts.map(({ runId }) => runId),
        )
        .where('lease_owner', '=', owner)
        .execute();
    },
    async takeOver(isForced) {
      const now = nowMs();
      await db.transaction().execute(async (transaction) => {
        const runs = await transaction
          .selectFrom('schedule_runs')
          .selectAll()
          .where('status', '=', sql.lit('running'))
          .where((eb) => (isForced ? eb('lease_owner', '!=', owner) : eb('lease_expires_at', '<=', now)))
          .execute();
        for (const run of runs) {
          await end(transaction, toClaimed(run), { status: null, error: BROKEN_OFF }, run.lease_owner);
        }
      });
    },
    async nextMs() {
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
