import { randomBytes } from 'node:crypto';
import type { AccountSource } from '@berth/accounts';
import {
  type ConnectedRepository,
  type ConnectRepositoryRequest,
  createError,
  createValidationError,
  type Repository,
} from '@berth/contract';
import { type Database, repositoryContext } from '@berth/database';
import { createDeployKeyPair } from '@berth/git';
import { type AccountId, BerthError } from '@berth/kit';
import type { Kysely } from 'kysely';
import { environmentChangeIssues, environmentSizeIssues } from '../deployments/environment/environment-change.ts';
import { externalNames } from '../deployments/environment/references.ts';
import { createDeploymentStore } from '../deployments/store/deployment-store.ts';
import { reserveName } from '../deployments/store/reserve-name.ts';
import { ForgeError } from './forges/forge-client.ts';
import { locateRepository, openForgeApi } from './forges/open-forge.ts';
import { readPreviewVariables } from './preview-variables.ts';
import {
  endRepository,
  findRepository,
  hookUrl,
  type RepositoryContext,
  type RepositoryRow,
} from './repository-context.ts';

/** Runs that are shown. */
const SHOWN_RUNS = 20;

/** Creates the repositories that deployments of accounts are connected to. */
export function createConnectedRepositories(context: RepositoryContext) {
  const { db, clock, ids, audit, sealer, access, git, urlOf, baseUrl } = context;

  const get = async (account: AccountId, deployment: string, from: Kysely<Database>): Promise<RepositoryRow> => {
    // Another account's deployment answers as everywhere.
    await createDeploymentStore(from).get(account, deployment);
    const row = await findRepository(from, account, deployment);
    if (row) return row;
    throw createError('not_found', `"${deployment}" isn't connected to a repository.`);
  };

  const view = async (row: RepositoryRow): Promise<Repository> => {
    const runs = await db
      .selectFrom('repository_runs')
      .selectAll()
      .where('repository_id', '=', row.id)
      .orderBy('id', 'desc')
      .limit(SHOWN_RUNS)
      .execute();
    const previews = await db
      .selectFrom('repository_previews')
      .selectAll()
      .where('repository_id', '=', row.id)
      .where('is_closing', '=', 0)
      .orderBy('number')
      .execute();
    return {
      ...{ id: row.id, deployment_name: row.deployment, forge: row.forge, url: row.url.replace(/\.git$/, '') },
      ...{ branch: row.branch, folder: row.folder, has_token: row.sealed_token !== null },
      ...{ deploy_key: row.deploy_key, ssh_url: row.ssh_url },
      previews_enabled: row.previews_enabled === 1,
      preview_ttl_seconds: row.preview_ttl_ms / 1_000,
      preview_variables: [...readPreviewVariables(row, sealer).keys()],
      hook_url: hookUrl(baseUrl, row.id),
      runs: runs.map((run) => ({
        ...{ id: run.id, commit: run.sha, title: run.title, pull_request: run.number, status: run.state },
        ...{ deploy_id: run.deploy_id, error: run.error, report_error: run.report_error },
        time: new Date(run.created_at).toISOString(),
      })),
      previews: previews.map(({ number, deployment, expires_at }) => ({
        ...{ pull_request: number, deployment_name: deployment, url: urlOf(deployment) },
        expires_at: new Date(expires_at).toISOString(),
      })),
      created_at: new Date(row.created_at).toISOString(),
    };
  };

  /** Makes a deploy key, and reads the host key of the server that it is for. */
  const makeDeployKey = async (url: string, deployment: string) => {
    const hostKey = await git.readHostKey({ url }).catch((error: unknown) => {
      if (!(error instanceof BerthError)) throw error;
      throw createValidationError([{ loc: ['body', 'ssh_url'], msg: error.message, type: 'ssh_url_invalid' }]);
    });
    return { ...(await createDeployKeyPair(`berth-${deployment}`)), url, hostKey };
  };

  const drop = (id: string) => db.deleteFrom('repositories').where('id', '=', id).execute();

  return {
    /**
     * Connects a deployment to a repository, and reserves a free name. With a token that may, the webhook is created in the forge.
     * @throws `invalid` for a URL or a token that doesn't work; `conflict` when the deployment has a repository; `forbidden`
     */
    async connect(input: ConnectRepositoryRequest, source: AccountSource): Promise<ConnectedRepository> {
      const { deployment_name: deployment, token = null, branch, folder = null, previews } = input;
      access.checkUrl(input.url);
      const location = locateRepository(input.url, input.forge ?? undefined);
      if (input.ssh_url && !input.deploy_key)
        throw createValidationError([{ loc: ['body', 'ssh_url'], msg: 'needs deploy_key', type: 'ssh_url_invalid' }]);
      const key = input.deploy_key
        ? await makeDeployKey(input.ssh_url ?? sshUrlOf(location.url), deployment)
        : undefined;
      const secret = randomBytes(32).toString('hex');
      const id = ids.next('rep');
      const row = await db.transaction().execute(async (transaction) => {
        await reserveName(transaction, source.accountId, deployment, { ...context, nowMs: clock.nowMs() });
        if (await findRepository(transaction, source.accountId, deployment)) {
          const how = `Disconnect it first: berth repo disconnect ${deployment}`;
          throw createError('conflict', `"${deployment}" is connected to a repository already. ${how}`);
        }
        const box = await sealer.current(transaction);
        const repository: RepositoryRow = {
          ...{ id, account_id: source.accountId, deployment, forge: location.forge, url: location.url, branch, folder },
          sealed_secret: box.seal(secret, repositoryContext(id, 'secret')),
          sealed_token: token === null ? null : box.seal(token, repositoryContext(id, 'token')),
          sealed_preview_variables: null,
          ...{ ssh_url: key?.url ?? null, ssh_host_key: key?.hostKey ?? null, deploy_key: key?.public ?? null },
          sealed_deploy_key: key ? box.seal(key.private, repositoryContext(id, 'deploy_key')) : null,
          previews_enabled: previews ? 1 : 0,
          preview_ttl_ms: input.preview_ttl_seconds * 1_000,
          ...{ created_at: clock.nowMs(), ended_at: null, end_attempts: 0 },
        };
        await transaction.insertInto('repositories').values(repository).execute();
        const details = { url: location.url, branch, folder, previews };
        await audit.record({ ...source, action: 'repository.connect', target: deployment, details }, transaction);
        return repository;
      });
      if (token === null) return { ...(await view(row)), hook_secret: secret, must_add_deploy_key: key !== undefined };
      const api = openForgeApi(location, token, access);
      try {
        await api.check();
      } catch (error) {
        await drop(id);
        throw refused(error, 'url');
      }
      // A token that reads the repository may not manage it: then the person pastes the secret and the key.
      const isAllowed = async (work: Promise<void>): Promise<boolean> => {
        try {
          await work;
          return true;
        } catch (error) {
          if (error instanceof ForgeError && (error.status === 403 || error.status === 404)) return false;
          await endRepository(db, id, clock.nowMs());
          throw refused(error, 'token');
        }
      };
      const hook = { url: hookUrl(baseUrl, id), secret, withPullRequests: previews };
      const hasHook = await isAllowed(api.createHook(hook));
      const hasKey = !key || (await isAllowed(api.addDeployKey({ title: `Berth: ${deployment}`, key: key.public })));
      return { ...(await view(row)), hook_secret: hasHook ? null : secret, must_add_deploy_key: !hasKey };
    },

    /** @throws `not_found`, `forbidden` */
    show: async (account: AccountId, deployment: string): Promise<Repository> =>
      view(await get(account, deployment, db)),

    /** Disconnects a repository. Its previews are deleted, and its webhook is removed if there is a token. @throws `not_found`, `forbidden` */
    async disconnect(deployment: string, source: AccountSource): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        const { id, url } = await get(source.accountId, deployment, transaction);
        await endRepository(transaction, id, clock.nowMs());
        const details = { url };
        await audit.record({ ...source, action: 'repository.disconnect', target: deployment, details }, transaction);
      });
    },

    /** Changes the variables that only previews get, from their next deploy on. @throws `not_found`, `forbidden`, `invalid` */
    async setPreviewVariables(
      deployment: string,
      change: { readonly set: Readonly<Record<string, string>>; readonly unset: readonly string[] },
      source: AccountSource,
    ): Promise<Repository> {
      const set = new Map(Object.entries(change.set));
      const issues = environmentChangeIssues({ set, unset: change.unset, plain: new Set() }, new Set());
      if (externalNames(set.values()).size > 0) {
        const msg = 'variables of previews cannot refer to external secrets';
        issues.push({ loc: ['body', 'set'], msg, type: 'env_reference_invalid' });
      }
      if (issues.length > 0) throw createValidationError(issues);
      await db.transaction().execute(async (transaction) => {
        const row = await get(source.accountId, deployment, transaction);
        const variables = new Map([...readPreviewVariables(row, sealer), ...set]);
        for (const key of change.unset) variables.delete(key);
        const sizeIssues = environmentSizeIssues(new Map([...variables].map(([key, value]) => [key, { value }])));
        if (sizeIssues.length > 0) throw createValidationError(sizeIssues);
        const box = await sealer.current(transaction);
        const sealed_preview_variables = box.seal(
          JSON.stringify(Object.fromEntries(variables)),
          repositoryContext(row.id, 'preview_variables'),
        );
        await transaction
          .updateTable('repositories')
          .set({ sealed_preview_variables })
          .where('id', '=', row.id)
          .execute();
        const details = { set: [...set.keys()], unset: change.unset };
        const action = 'repository.set_preview_environment';
        await audit.record({ ...source, action, target: deployment, details }, transaction);
      });
      return view(await get(source.accountId, deployment, db));
    },

    /** Disconnects the repository of a deployment that is being deleted, if it has one. */
    async forget(account: AccountId, deployment: string): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        const row = await findRepository(transaction, account, deployment);
        if (row) await endRepository(transaction, row.id, clock.nowMs());
      });
    },
  };
}

/** Returns where forges serve a repository by SSH, from its clone URL. */
function sshUrlOf(cloneUrl: string): string {
  const { hostname, pathname } = new URL(cloneUrl);
  return `ssh://git@${hostname}${pathname}`;
}

function refused(error: unknown, field: string): unknown {
  if (!(error instanceof ForgeError)) return error;
  return createValidationError([{ loc: ['body', field], msg: error.message, type: 'forge_refused' }]);
}
