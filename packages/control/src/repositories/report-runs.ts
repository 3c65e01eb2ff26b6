import type { Database, RepositoryRunsTable } from '@berth/database';
import { backoffMs } from '@berth/kit';
import type { Kysely, Selectable } from 'kysely';
import type { HeldLease } from '../cluster/leases.ts';
import type { CommitStatus, ForgeApi } from './forges/forge.ts';
import { ForgeError } from './forges/forge-client.ts';
import { openApi } from './open-api.ts';
import { previewName, type RepositoryContext, type RepositoryRow } from './repository-context.ts';

type Run = Selectable<RepositoryRunsTable>;

/** Attempts before the report of a state is given up: about an hour with {@link BACKOFF}. */
const MAX_ATTEMPTS = 10;
const BACKOFF = { baseMs: 5_000, maxMs: 900_000 } as const;

/** States without a comment: there may never be a preview, or the comment is about a newer commit. */
const UNCOMMENTED: readonly Run['state'][] = ['queued', 'skipped', 'superseded'];

/** Tells forges the results of runs: the status of each commit, and one comment in each pull request. */
export function createRunReporter(context: RepositoryContext) {
  const { db, clock, urlOf, baseUrl } = context;

  const open = (row: RepositoryRow) => openApi(row, context);

  const previewOf = (row: RepositoryRow, number: number) =>
    db
      .selectFrom('repository_previews')
      .selectAll()
      .where('repository_id', '=', row.id)
      .where('number', '=', number)
      .executeTakeFirst();

  /** Writes the comment of a pull request: a new one only when there is none of an earlier attempt. */
  const comment = async (api: ForgeApi, row: RepositoryRow, number: number, text: string): Promise<void> => {
    const marker = `<!-- berth preview ${row.id} -->`;
    const body = `${marker}\n${text}`;
    const preview = await previewOf(row, number);
    if (!preview) return;
    const known = preview.comment_id ?? (await api.findComment(number, marker));
    if (known !== undefined) await api.updateComment(number, known, body);
    const comment_id = known ?? (await api.createComment(number, body));
    if (comment_id === preview.comment_id) return;
    await db
      .updateTable('repository_previews')
      .set({ comment_id })
      .where('repository_id', '=', row.id)
      .where('number', '=', number)
      .execute();
  };

  const send = async (api: ForgeApi, row: RepositoryRow, run: Run): Promise<void> => {
    const name = run.number === null ? row.deployment : previewName(row.deployment, run.number);
    const link = new URL(`/deployments/${name}?tab=deploys`, baseUrl).href;
    const { state, description } = describe(run);
    const context = run.number === null ? `berth/${row.deployment}` : `berth/${row.deployment} (preview)`;
    await api.setStatus({ sha: run.sha, state, context, description, link });
    if (run.number === null || UNCOMMENTED.includes(run.state)) return;
    // Without the description, which may quote files of the pull request.
    const result = { success: urlOf(name), failure: 'failed', pending: 'deploying…' }[state];
    const text = `**Preview:** ${result}\n\n${run.sha.slice(0, 10)} · [Deploys of ${name}](${link})`;
    await comment(api, row, run.number, text);
  };

  const record = async (run: Run, changes: Partial<Run>, lease: HeldLease): Promise<void> => {
    await db.transaction().execute(async (transaction: Kysely<Database>) => {
      await lease.require(transaction);
      // A state that has changed meanwhile is reported next.
      await transaction
        .updateTable('repository_runs')
        .set(changes)
        .where('id', '=', run.id)
        .where('state', '=', run.state)
        .where('deploy_id', run.deploy_id === null ? 'is' : '=', run.deploy_id)
        .execute();
    });
  };

  return {
    /** Reports the state of a run. */
    async report(row: RepositoryRow, run: Run, lease: HeldLease): Promise<void> {
      const api = open(row);
      if (!api) return record(run, { is_reported: 1 }, lease);
      try {
        await send(api, row, run);
        await record(run, { is_reported: 1, report_error: null }, lease);
      } catch (error) {
        const report_error = error instanceof ForgeError ? error.message : 'The forge could not be reached.';
        const isOver = (error instanceof ForgeError && error.isFinal) || run.report_attempts + 1 >= MAX_ATTEMPTS;
        const next_report_at = clock.nowMs() + backoffMs(run.report_attempts, BACKOFF);
        const changes = { report_error, report_attempts: run.report_attempts + 1, next_report_at };
        await record(run, isOver ? { ...changes, is_reported: 1 } : changes, lease);
      }
    },
    /** Says in the comment of a pull request that its preview was deleted. Not repeated when it fails. */
    async reportDeletion(row: RepositoryRow, number: number): Promise<void> {
      const api = open(row);
      const preview = await previewOf(row, number);
      if (!api || !preview || preview.comment_id === null) return;
      await comment(api, row, number, '**Preview:** deleted.');
    },
    /** Removes the webhook and the deploy key of a repository. @throws ForgeError */
    async removeAccess(row: RepositoryRow, hookUrl: string): Promise<void> {
      const api = open(row);
      await api?.removeHooks(hookUrl);
      if (row.deploy_key !== null) await api?.removeDeployKeys(row.deploy_key);
    },
  };
}

function describe({ state, error }: Run): Pick<CommitStatus, 'state' | 'description'> {
  if (state === 'succeeded') return { state: 'success', description: 'Deployed' };
  if (state === 'failed') return { state: 'failure', description: (error ?? 'The deploy failed').slice(0, 140) };
  if (state === 'skipped') return { state: 'success', description: 'Nothing below the folder has changed' };
  if (state === 'superseded') return { state: 'failure', description: 'Superseded by a newer commit, or closed' };
  return { state: 'pending', description: state === 'queued' ? 'Waiting to deploy' : 'Deploying' };
}
