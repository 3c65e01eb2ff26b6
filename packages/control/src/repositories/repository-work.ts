import { SYSTEM_SOURCE } from '@berth/accounts';
import { type AccountId, BerthError, backoffMs, describeError } from '@berth/kit';
import type { HeldLease } from '../cluster/leases.ts';
import { createRunReporter } from './report-runs.ts';
import { hookUrl, type RepositoryContext, type RepositoryRow, supersedeRuns } from './repository-context.ts';
import { createRunStarter } from './start-run.ts';

/** Repositories that are looked at in one pass. */
const BATCH = 1_000;
/** Attempts to remove the webhook of a repository that was disconnected. */
const MAX_END_ATTEMPTS = 5;
const END_BACKOFF = { baseMs: 5_000, maxMs: 60_000 } as const;
/** Runs are kept this long. */
const KEPT_MS = 90 * 24 * 60 * 60_000;

/** A repository with work to do. */
export interface DueRepository {
  readonly id: string;
  readonly account: string;
}

/**
 * The work that repositories cause, each under its own lease. Invariants:
 * 1. Everything to do is a state in the database, so a server that is killed leaves nothing half known.
 * 2. Reports to forges follow from the state, and are repeated until the forge accepts them.
 */
export function createRepositoryWork(context: RepositoryContext) {
  const { db, clock, logger, deployments, baseUrl } = context;
  const starter = createRunStarter(context);
  const reporter = createRunReporter(context);

  /** The deploys of a repository's runs that have ended, or whose record is gone. */
  const findEnded = () =>
    db
      .selectFrom('repository_runs as run')
      .leftJoin('deploys as deploy', 'deploy.id', 'run.deploy_id')
      .where('run.state', '=', 'deploying')
      .where((eb) => eb.or([eb('deploy.id', 'is', null), eb('deploy.ended_at', 'is not', null)]));

  const settle = async (row: RepositoryRow, lease: HeldLease): Promise<void> => {
    const ended = await findEnded()
      .select(['run.id', 'deploy.step', 'deploy.code'])
      .where('run.repository_id', '=', row.id)
      .execute();
    for (const { id, step, code } of ended) {
      const result =
        step === 'done'
          ? { state: 'succeeded' as const, error: null }
          : { state: 'failed' as const, error: `The deploy ended with ${code ?? 'an error'}.` };
      await db.transaction().execute(async (transaction) => {
        await lease.require(transaction);
        await transaction
          .updateTable('repository_runs')
          .set({
            ...result,
            is_reported: row.sealed_token === null ? 1 : 0,
            report_attempts: 0,
            next_report_at: clock.nowMs(),
          })
          .where('id', '=', id)
          .where('state', '=', 'deploying')
          .execute();
      });
    }
  };

  const runsOf = (row: RepositoryRow) =>
    db.selectFrom('repository_runs').selectAll().where('repository_id', '=', row.id).orderBy('id');

  const deletePreviews = async (row: RepositoryRow, lease: HeldLease): Promise<void> => {
    const account = row.account_id as AccountId;
    const due = await db
      .selectFrom('repository_previews')
      .selectAll()
      .where('repository_id', '=', row.id)
      .where((eb) => eb.or([eb('is_closing', '=', 1), eb('expires_at', '<=', clock.nowMs())]))
      .execute();
    for (const { number, deployment, is_claimed } of due) {
      lease.signal.throwIfAborted();
      await db.transaction().execute(async (transaction) => {
        await lease.require(transaction);
        const previews = transaction.updateTable('repository_previews').set({ is_closing: 1 });
        await previews.where('repository_id', '=', row.id).where('number', '=', number).execute();
        await supersedeRuns(transaction, row.id, number);
      });
      if (is_claimed === 1) {
        const source = { ...SYSTEM_SOURCE, accountId: account };
        await deployments.deletion.delete(account, deployment, source).catch((error: unknown) => {
          // Somebody has deleted it, and another account may have the name now.
          if (!BerthError.is(error, 'not_found') && !BerthError.is(error, 'forbidden')) throw error;
        });
      }
      await reporter
        .reportDeletion(row, number)
        .catch((error: unknown) =>
          logger.warn({ repository: row.id, error: describeError(error) }, 'a comment could not be updated'),
        );
      await db.transaction().execute(async (transaction) => {
        await lease.require(transaction);
        // A pull request that was opened again meanwhile keeps its row.
        const previews = transaction.deleteFrom('repository_previews').where('repository_id', '=', row.id);
        await previews.where('number', '=', number).where('is_closing', '=', 1).execute();
      });
    }
  };

  /** Removes the webhook and the row of a repository that was disconnected. */
  const finish = async (row: RepositoryRow, lease: HeldLease): Promise<void> => {
    const problem = await reporter.removeAccess(row, hookUrl(baseUrl, row.id)).catch((error: unknown) => error);
    if (problem !== undefined && row.end_attempts + 1 < MAX_END_ATTEMPTS) {
      const ended_at = clock.nowMs() + backoffMs(row.end_attempts, END_BACKOFF);
      const changes = { ended_at, end_attempts: row.end_attempts + 1 };
      await db.updateTable('repositories').set(changes).where('id', '=', row.id).execute();
      return;
    }
    if (problem !== undefined)
      logger.warn({ repository: row.id }, 'the webhook or deploy key of a repository could not be removed');
    await db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      await transaction.deleteFrom('repositories').where('id', '=', row.id).execute();
    });
  };

  return {
    /** Returns the repositories with work to do now. */
    async findDue(): Promise<readonly DueRepository[]> {
      const nowMs = clock.nowMs();
      const runs = () => db.selectFrom('repository_runs').select('repository_id');
      const previews = db
        .selectFrom('repository_previews')
        .select('repository_id')
        .where((eb) => eb.or([eb('is_closing', '=', 1), eb('expires_at', '<=', nowMs)]));
      const due = runs()
        .where('state', '=', 'queued')
        .where('next_attempt_at', '<=', nowMs)
        .union(runs().where('is_reported', '=', 0).where('next_report_at', '<=', nowMs))
        .union(findEnded().select('run.repository_id'))
        .union(previews)
        .union(db.selectFrom('repositories').select('id as repository_id').where('ended_at', '<=', nowMs));
      return db
        .selectFrom('repositories')
        .select(['id', 'account_id as account'])
        .where('id', 'in', due)
        .limit(BATCH)
        .execute();
    },

    /** Does what is due for a repository. */
    async run(id: string, lease: HeldLease): Promise<void> {
      const row = await db.selectFrom('repositories').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return;
      await settle(row, lease);
      const unreported = runsOf(row).where('is_reported', '=', 0).where('next_report_at', '<=', clock.nowMs());
      for (const run of await unreported.execute()) await reporter.report(row, run, lease);
      const queued = runsOf(row).where('state', '=', 'queued').where('next_attempt_at', '<=', clock.nowMs());
      for (const run of await queued.execute()) {
        if (lease.signal.aborted) return;
        await starter.start(row, run, lease);
      }
      await deletePreviews(row, lease);
      if (row.ended_at !== null && row.ended_at <= clock.nowMs()) return finish(row, lease);
      await db
        .deleteFrom('repository_runs')
        .where('repository_id', '=', id)
        .where('created_at', '<', clock.nowMs() - KEPT_MS)
        .where('state', 'not in', ['queued', 'deploying'])
        .execute();
    },
  };
}
