import { SYSTEM_SOURCE } from '@berth/accounts';
import { createError, type DeploySettings, deploymentNameProblem, type FileSettings } from '@berth/contract';
import type { Database, RepositoryRunsTable } from '@berth/database';
import { type AccountId, BerthError, backoffMs } from '@berth/kit';
import type { Kysely, Selectable } from 'kysely';
import type { HeldLease } from '../cluster/leases.ts';
import { refuseMounts } from '../deployments/deploys/intake/read-deploy-request.ts';
import { createDeploymentStore } from '../deployments/store/deployment-store.ts';
import { reserveName } from '../deployments/store/reserve-name.ts';
import { commitSettings, defaultSettings } from '../git/commit-settings.ts';
import { ForgeError } from './forges/forge-client.ts';
import { gitCredentials } from './forges/open-forge.ts';
import { openApi, openDeployKey, openToken } from './open-api.ts';
import { previewEnvironment } from './preview-variables.ts';
import { previewName, type RepositoryContext, type RepositoryRow } from './repository-context.ts';

type Run = Selectable<RepositoryRunsTable>;

/** Attempts before a commit is given up: about ten minutes with {@link BACKOFF}. */
const MAX_ATTEMPTS = 8;
const BACKOFF = { baseMs: 5_000, maxMs: 300_000 } as const;
/** Errors after which another attempt may succeed. */
const PASSING = ['unavailable', 'internal', 'too_many_requests', 'conflict', 'out_of_capacity'] as const;

/** Thrown when a newer event has made a run needless. */
class SupersededError extends Error {}

/** Fetches commits and deploys them. A deploy is accepted in the transaction that records it in its run, so at most once. */
export function createRunStarter(context: RepositoryContext) {
  const { db, clock, logger, sealer, deployments, builder, receiveCommit, reservedNames } = context;

  /** Records an attempt; false when the run no longer waits. */
  const begin = (run: Run, lease: HeldLease): Promise<boolean> =>
    db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      const row = await transaction
        .updateTable('repository_runs')
        .set({ attempts: run.attempts + 1, next_attempt_at: clock.nowMs() + backoffMs(run.attempts, BACKOFF) })
        .where('id', '=', run.id)
        .where('state', '=', 'queued')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    });

  /** Returns the repository and the preview of a run. @throws SupersededError when the run no longer waits for a deploy */
  const requireWanted = async (transaction: Kysely<Database>, row: RepositoryRow, { number }: Run) => {
    const connected = transaction.selectFrom('repositories').selectAll().where('id', '=', row.id);
    const current = await connected.where('ended_at', 'is', null).executeTakeFirst();
    if (!current) throw new SupersededError();
    if (number === null) return { current };
    const own = transaction.selectFrom('repository_previews').selectAll().where('repository_id', '=', row.id);
    const preview = await own.where('number', '=', number).where('is_closing', '=', 0).executeTakeFirst();
    if (!preview) throw new SupersededError();
    return { current, preview };
  };

  /** Reserves the name of a preview before its first deploy, and writes its environment. */
  const preparePreview = (row: RepositoryRow, run: Run, lease: HeldLease, name: string): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      const { current, preview } = await requireWanted(transaction, row, run);
      if (!preview) return;
      const account = row.account_id as AccountId;
      if (preview.is_claimed === 0) {
        const other = await createDeploymentStore(transaction).find(account, name);
        // A preview of an earlier connection is gone in a moment.
        if (other && other.status !== 'deleting') {
          throw createError('forbidden', `A deployment named "${name}" exists already. Rename it to get a preview.`);
        }
        await reserveName(transaction, account, name, { ...context, nowMs: clock.nowMs() });
        await transaction
          .updateTable('repository_previews')
          .set({ is_claimed: 1 })
          .where('repository_id', '=', row.id)
          .where('number', '=', preview.number)
          .execute();
      }
      const environment = await previewEnvironment(transaction, current, name, sealer);
      await deployments.environment.write(transaction, account, name, environment);
    });

  /** Records the accepted deploy in its run. @throws SupersededError */
  const accept = async (
    transaction: Kysely<Database>,
    { row, run, lease, deployId }: { row: RepositoryRow; run: Run; lease: HeldLease; deployId: string },
  ): Promise<void> => {
    await lease.require(transaction);
    await requireWanted(transaction, row, run);
    const accepted = await transaction
      .updateTable('repository_runs')
      .set({
        state: 'deploying',
        deploy_id: deployId,
        is_reported: row.sealed_token === null ? 1 : 0,
        report_attempts: 0,
      })
      .where('id', '=', run.id)
      .where('state', '=', 'queued')
      .returning('id')
      .executeTakeFirst();
    if (!accepted) throw new SupersededError();
  };

  const deploy = async (row: RepositoryRow, run: Run, lease: HeldLease): Promise<void> => {
    const account = row.account_id as AccountId;
    const name = run.number === null ? row.deployment : previewName(row.deployment, run.number);
    const problem = deploymentNameProblem(name, reservedNames);
    if (problem) throw createError('invalid', `The preview can't be named "${name}". ${problem}`);
    const token = openToken(row, context);
    const deployKey = openDeployKey(row, context);
    const { archive, settings: file } = await receiveCommit({
      ...{ account, deployment: name, sha: run.sha, folder: row.folder, signal: lease.signal, deployKey },
      url: deployKey ? (row.ssh_url ?? row.url) : row.url,
      credentials: deployKey || token === undefined ? undefined : gitCredentials(row.forge, token),
    });
    try {
      const { settings: before } = await createDeploymentStore(db).get(account, row.deployment);
      const settings =
        run.number === null
          ? commitSettings(name, { deployed: before ?? undefined, file })
          : previewSettings(name, before, file);
      refuseMounts(settings, context);
      if (run.number !== null) await preparePreview(row, run, lease, name);
      await deployments.deploys.start({
        ...{ account, source: { ...SYSTEM_SOURCE, accountId: account }, archive },
        settings,
        commit: { sha: run.sha, subject: run.title, branch: run.number === null ? row.branch : `pull/${run.number}` },
        onAccept: (transaction, { id }) => accept(transaction, { row, run, lease, deployId: id }),
      });
    } catch (error) {
      await builder.discard(archive);
      throw error;
    }
  };

  /** Returns whether a pull request changes something below the folder, or may: without a token, the forge isn't asked. */
  const isConcerned = async (row: RepositoryRow, { number }: Run): Promise<boolean> => {
    const api = openApi(row, context);
    if (row.folder === null || number === null || !api) return true;
    const files = await api.listFiles(number).catch((error: unknown) => {
      if (error instanceof ForgeError) return undefined;
      throw error;
    });
    return files === undefined || files.some((file) => file.startsWith(`${row.folder}/`));
  };

  /** Ends the run of a pull request that doesn't concern the folder. It gets no preview, and keeps one that it has. */
  const skip = (row: RepositoryRow, run: Run, lease: HeldLease): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      await transaction
        .updateTable('repository_runs')
        .set({ state: 'skipped', is_reported: 0, report_attempts: 0 })
        .where('id', '=', run.id)
        .where('state', '=', 'queued')
        .execute();
      await transaction
        .deleteFrom('repository_previews')
        .where('repository_id', '=', row.id)
        .where('number', '=', run.number ?? 0)
        .where('is_claimed', '=', 0)
        .execute();
    });

  /** Records a failure; the run waits for its next attempt or ends. */
  const fail = async (row: RepositoryRow, run: Run, error: unknown, lease: HeldLease): Promise<void> => {
    const isPassing = !(error instanceof BerthError) || PASSING.some((code) => BerthError.is(error, code));
    const isOver = !isPassing || run.attempts + 1 >= MAX_ATTEMPTS;
    if (!(error instanceof BerthError))
      logger.error({ repository: row.id, run: run.id, error: String(error) }, 'a commit could not be deployed');
    const message = error instanceof BerthError ? error.message : 'The platform failed. Push again later.';
    await db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      const ended = { state: 'failed' as const, is_reported: row.sealed_token === null ? 1 : 0, report_attempts: 0 };
      await transaction
        .updateTable('repository_runs')
        .set({ error: message.slice(0, 500), ...(isOver ? ended : {}) })
        .where('id', '=', run.id)
        .where('state', '=', 'queued')
        .execute();
    });
  };

  return {
    /** Makes one attempt to deploy the commit of a run. */
    async start(row: RepositoryRow, run: Run, lease: HeldLease): Promise<void> {
      if (!(await begin(run, lease))) return;
      try {
        if (await isConcerned(row, run)) await deploy(row, run, lease);
        else await skip(row, run, lease);
      } catch (error) {
        if (error instanceof SupersededError || lease.signal.aborted) return;
        await fail(row, run, error, lease);
      }
    },
  };
}

/**
 * Returns the settings of a preview: those of the deployment, changed by `berth.json`. It has no volumes, no schedule and no instances
 * without requests: it must not change the data of the deployment or do its work twice.
 */
function previewSettings(name: string, before: DeploySettings | null, settings: FileSettings): DeploySettings {
  const { volumes: _, schedule: __, min_instances: ___, ...file } = settings;
  const deployed = { ...(before ?? defaultSettings(name)), volumes: [], schedule: null, minInstances: 0 };
  return commitSettings(name, { deployed, file });
}
