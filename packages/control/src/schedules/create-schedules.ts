import type { AccountSource } from '@berth/accounts';
import { createError, type ScheduleRow, type ScheduleRun } from '@berth/contract';
import type { Database, Sealer } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { LogStore } from '@berth/logstore';
import type { Kysely } from 'kysely';
import { type Cluster, createSoleCluster } from '../cluster/cluster.ts';
import type { ControlContext } from '../context/control-context.ts';
import { createCronTokenStore } from '../deployments/environment/cron-token-store.ts';
import { createDeploymentStore, refuseReserved } from '../deployments/store/deployment-store.ts';
import { createDueRuns, insertRun } from './due-runs.ts';
import { createRunLeases } from './run-leases.ts';
import { createScheduleRunStore } from './run-store.ts';
import { type CallCron, createScheduleRunner } from './schedule-runner.ts';
import { createScheduleStore, NEVER_MS } from './schedule-store.ts';

/** A request for a page of history. */
export interface RunsQuery {
  readonly name: string;
  readonly limit: number;
  readonly pageToken?: string | undefined;
}

export interface CreateSchedulesOptions extends Pick<ControlContext, 'db' | 'clock' | 'ids' | 'logger' | 'audit'> {
  /** Seals environments. */
  readonly sealer: Sealer;
  readonly callCron: CallCron;
  /** The services' logs, which report failed attempts. */
  readonly logs: Pick<LogStore, 'append'>;
  /** The servers that make calls from one database; only this one by default. */
  readonly cluster?: Cluster;
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

/** Schedules of deployments: due times, history, and the calls themselves. */
export type Schedules = ReturnType<typeof createSchedules>;

export function createSchedules(options: CreateSchedulesOptions) {
  const { db, clock, ids, logger, logs, audit, sealer, callCron } = options;
  const { cluster = createSoleCluster(clock) } = options;
  const { leaseMs = DEFAULT_LEASE_MS, pollMs = DEFAULT_POLL_MS, maxCalls = DEFAULT_MAX_CALLS } = options;
  const { keptRuns = DEFAULT_KEPT_RUNS } = options;
  const nowMs = () => clock.nowMs();
  const runs = createScheduleRunStore(db);
  const runner = createScheduleRunner({
    clock,
    logger,
    logs,
    callCron,
    isAlone: cluster.isAlone,
    pollMs,
    maxCalls,
    due: createDueRuns({ db, ids, logger, nowMs, keptRuns }),
    leases: createRunLeases({ db, cluster, leaseMs, nowMs }),
    tokens: createCronTokenStore(db, sealer),
    heartbeatMs: leaseMs / 3,
  });
  const refuseMissing = async (handle: Kysely<Database>, account: AccountId, name: string) =>
    refuseReserved(await createDeploymentStore(handle).get(account, name));

  return {
    /** By name of the deployment. */
    async list(account: AccountId): Promise<ScheduleRow[]> {
      const newest = await runs.newest(account);
      const rows = await createScheduleStore(db).list(account);
      const active = rows.map(({ deployment, cron, timezone, next_due_at }) => ({
        deployment_name: deployment,
        cron,
        timezone,
        next_run_at: next_due_at === NEVER_MS ? null : new Date(next_due_at).toISOString(),
        last_run: newest.get(deployment) ?? null,
        is_paused: false,
      }));
      const stopped = (await createDeploymentStore(db).list(account)).filter(({ stoppedAtMs }) => stoppedAtMs !== null);
      const paused = stopped.flatMap(({ name, settings }) => {
        if (!settings?.schedule) return [];
        const { cron, timezone } = settings.schedule;
        const last_run = newest.get(name) ?? null;
        return [{ deployment_name: name, cron, timezone, next_run_at: null, last_run, is_paused: true }];
      });
      return [...active, ...paused].sort((a, b) => (a.deployment_name < b.deployment_name ? -1 : 1));
    },
    /** Newest first. @throws `not_found`, `forbidden` */
    async runs(
      account: AccountId,
      { name, limit, pageToken }: RunsQuery,
    ): Promise<{ readonly runs: ScheduleRun[]; readonly nextPageToken: string | null }> {
      await refuseMissing(db, account, name);
      return runs.list({ account, deployment: name, limit, before: pageToken });
    },
    /**
     * Starts a run now, besides the scheduled ones.
     * @throws `not_found`, `forbidden`; `conflict` when the deployment has no schedule.
     */
    async run(account: AccountId, name: string, source: AccountSource): Promise<ScheduleRun> {
      const id = await db.transaction().execute(async (transaction) => {
        const { stoppedAtMs } = await refuseMissing(transaction, account, name);
        if (stoppedAtMs !== null) {
          const remedy = `Start it with \`berth resume ${name}\` first.`;
          throw createError('conflict', `"${name}" is stopped, and its schedule is paused. ${remedy}`);
        }
        if (!(await createScheduleStore(transaction).find(account, name))) {
          throw createError('conflict', `"${name}" has no schedule. Deploy it with one first.`);
        }
        const now = nowMs();
        await audit.record({ ...source, action: 'schedule.run', target: name }, transaction);
        const run = { account_id: account, deployment: name, trigger: 'manual' as const, scheduled_at: now };
        return insertRun(transaction, { ids, keptRuns, nowMs: now }, run);
      });
      const run = await runs.find(account, id);
      if (!run) throw new Error('a run was not recorded');
      runner.wake();
      return run;
    },
    /** Resumes interrupted runs and starts calling due schedules. Call it when requests are served. */
    start: (): void => runner.start(),
    /**
     * Starts no more calls. Running calls get `waitMs`, then they are aborted and retried after the next start.
     * Idempotent.
     */
    close: (waitMs: number): Promise<void> => runner.close(waitMs),
  };
}
