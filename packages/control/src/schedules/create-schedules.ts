import { randomUUID } from 'node:crypto';
import type { AuditLog, AuditSource } from '@berth/accounts';
import { createError, type ScheduleRow, type ScheduleRun } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId, Clock, IdSource, Logger } from '@berth/kit';
import { createSecretBox } from '@berth/kit/node';
import type { LogStore } from '@berth/logstore';
import type { Kysely } from 'kysely';
import { createCronTokenStore } from '../deployments/environment/cron-token-store.ts';
import { createDeploymentStore } from '../deployments/store/deployment-store.ts';
import { refuseReserved } from '../deployments/store/refuse-reserved.ts';
import type { CallCron } from './call-cron.ts';
import { createDueRuns, insertRun } from './due-runs.ts';
import { createRunLeases } from './run-leases.ts';
import { createScheduleRunStore } from './run-store.ts';
import { createScheduleRunner } from './schedule-runner.ts';
import { createScheduleStore, NEVER_MS } from './schedule-store.ts';

/** A request for a page of history. */
export interface RunsQuery {
  readonly name: string;
  readonly limit: number;
  readonly pageToken?: string | undefined;
}

/** Schedules of deployments: due times, history, and the calls themselves. */
export interface Schedules {
  /** By name of the deployment. */
  list(account: AccountId): Promise<ScheduleRow[]>;
  /** Newest first. @throws `not_found`, `forbidden` */
  runs(
    account: AccountId,
    query: RunsQuery,
  ): Promise<{ readonly runs: ScheduleRun[]; readonly nextPageToken: string | null }>;
  /**
   * Starts a run now, besides the scheduled ones.
   * @throws `not_found`, `forbidden`; `conflict` when the deployment has no schedule.
   */
  run(account: AccountId, name: string, source: AuditSource): Promise<ScheduleRun>;
  /** Resumes interrupted runs and starts calling due schedules. Call it when requests are served. */
  start(): void;
  /**
   * Starts no more calls. Running calls get `waitMs`, then they are aborted and retried after the next start.
   * Idempotent.
   */
  close(waitMs: number): Promise<void>;
}

export interface CreateSchedulesOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly audit: Pick<AuditLog, 'record'>;
  /** The key that seals environments: 32 random bytes. */
  readonly secretKey: Uint8Array;
  readonly callCron: CallCron;
  /** The services' logs, which report failed attempts. */
  readonly logs: Pick<LogStore, 'append'>;
  /** False when several processes make calls from one database; true by default. */
  readonly isAlone?: boolean;
  /** The lease of an attempt, after which another process retries it; 30 s by default. */
  readonly leaseMs?: number;
  /** The longest interval between polls of the database for changes by other processes; 1 s by default. */
  readonly pollMs?: number;
  /** Calls at once; 1,000 by default. */
  readonly maxCalls?: number;
  /** Runs kept per deployment; 2,000 by default, which is a day and a half of runs each minute. */
  readonly keptRuns?: number;
}

const DEFAULT_LEASE_MS = 30_000;
const DEFAULT_POLL_MS = 1_000;
const DEFAULT_MAX_CALLS = 1_000;
const DEFAULT_KEPT_RUNS = 2_000;

export function createSchedules(options: CreateSchedulesOptions): Schedules {
  const { db, clock, ids, logger, logs, audit, secretKey, callCron, isAlone = true } = options;
  const { leaseMs = DEFAULT_LEASE_MS, pollMs = DEFAULT_POLL_MS, maxCalls = DEFAULT_MAX_CALLS } = options;
  const { keptRuns = DEFAULT_KEPT_RUNS } = options;
  const nowMs = () => clock.nowMs();
  const runs = createScheduleRunStore(db);
  const runner = createScheduleRunner({
    clock,
    logger,
    logs,
    callCron,
    isAlone,
    pollMs,
    maxCalls,
    due: createDueRuns({ db, ids, logger, nowMs, keptRuns }),
    leases: createRunLeases({ db, owner: randomUUID(), leaseMs, nowMs }),
    tokens: createCronTokenStore(db, createSecretBox(secretKey)),
    heartbeatMs: leaseMs / 3,
  });
  const refuseMissing = async (handle: Kysely<Database>, account: AccountId, name: string) =>
    refuseReserved(await createDeploymentStore(handle).get(account, name));

  return {
    async list(account) {
      const newest = await runs.newest(account);
      const rows = await createScheduleStore(db).list(account);
      return rows.map(({ deployment, cron, timezone, nextDueAtMs }) => ({
        deployment_name: deployment,
        cron,
        timezone,
        next_run_at: nextDueAtMs === NEVER_MS ? null : new Date(nextDueAtMs).toISOString(),
        last_run: newest.get(deployment) ?? null,
      }));
    },
    async runs(account, { name, limit, pageToken }) {
      await refuseMissing(db, account, name);
      return runs.list({ account, deployment: name, limit, before: pageToken });
    },
    async run(account, name, source) {
      const id = await db.transaction().execute(async (transaction) => {
        await refuseMissing(transaction, account, name);
        if (!(await createScheduleStore(transaction).find(account, name))) {
          throw createError('conflict', `"${name}" has no schedule. Deploy it with one first.`);
        }
        const now = nowMs();
        await audit.record({ ...source, accountId: account, action: 'schedule.run', target: name }, transaction);
        const run = { accountId: account, deployment: name, trigger: 'manual' as const, scheduledAtMs: now };
        return insertRun(transaction, { ids, keptRuns, nowMs: now }, run);
      });
      const run = await runs.find(account, id);
      if (!run) throw new Error('a run was not recorded');
      runner.wake();
      return run;
    },
    start: () => runner.start(),
    close: (waitMs) => runner.close(waitMs),
  };
}
