import type { AccountSource, AuditLog } from '@berth/accounts';
import {
  createError,
  createValidationError,
  deploymentNameProblem,
  isTerminal,
  type SetEnvironmentResponse,
} from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Entitlements } from '../../billing/plans/entitlements.ts';
import {
  applyEnvironmentChange,
  type EnvironmentChange,
  environmentChangeIssues,
  environmentSizeIssues,
} from '../environment/environment-change.ts';
import { createEnvironmentStore, type EnvironmentKey } from '../environment/environment-store.ts';
import { platformVariableNames } from '../environment/instance-environment.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import { acceptDeploy } from './accept-deploy.ts';
import type { DeployRunner, DeployTicket } from './deploy-runner.ts';
import { followDeploy } from './events/follow-deploy.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { createDeployStore } from './records/deploy-store.ts';

export interface EnvironmentServiceOptions
  extends Pick<DeployContext, 'db' | 'clock' | 'sealer' | 'signals' | 'cluster'> {
  readonly runner: DeployRunner;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly entitlements: Pick<Entitlements, 'requireName'>;
  /** Further prefixes of the platform's own variables. */
  readonly prefixes: readonly string[];
  /** Names that the operator reserves. */
  readonly reservedNames: readonly string[];
}

/** The stored result of a change. */
type Stored = 'unchanged' | 'stored' | 'stopped' | 'to_apply';

/** How long a change waits for the revision. A service that starts more slowly can be followed by its deploy id. */
const WAIT_MS = 60_000;

/** The variables that owners set for their deployments. */
export type EnvironmentService = ReturnType<typeof createEnvironmentService>;

export function createEnvironmentService(options: EnvironmentServiceOptions) {
  const { db, clock, sealer, signals, cluster, runner, audit, entitlements, prefixes, reservedNames } = options;
  const platformNames = platformVariableNames(prefixes);

  /** Reserves a free name when the change sets something and a deploy could use the name. */
  async function refuseImpossibleName(
    transaction: Kysely<Database>,
    account: AccountId,
    name: string,
    change: EnvironmentChange,
  ): Promise<void> {
    const deployments = createDeploymentStore(transaction);
    if ((await deployments.ownership(account, name)) !== 'free') return;
    const problem = deploymentNameProblem(name, reservedNames);
    if (problem)
      throw createValidationError([{ loc: ['body', 'deployment_name'], msg: problem, type: 'name_invalid' }]);
    if (change.set.size === 0) await deployments.get(account, name);
    else await entitlements.requireName(transaction, account);
  }

  /** Writes the next version. */
  async function store(
    transaction: Kysely<Database>,
    account: AccountId,
    name: string,
    change: EnvironmentChange,
  ): Promise<Stored> {
    const nowMs = clock.nowMs();
    const deployments = createDeploymentStore(transaction);
    const environment = createEnvironmentStore(transaction, sealer);
    const deployment = await deployments.claim(account, name, nowMs);
    if (deployment.status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
    const scope = { account, deployment: name };
    const before = await environment.read(scope, deployment.environmentVersion);
    const after = applyEnvironmentChange(before, change);
    const issues = environmentSizeIssues(after);
    if (issues.length > 0) throw createValidationError(issues);
    const effective = {
      set: new Map([...change.set].filter(([key, value]) => before.get(key) !== value)),
      unset: change.unset.filter((key) => before.has(key)),
    };
    if (effective.set.size === 0 && effective.unset.length === 0) return 'unchanged';
    const environmentVersion = deployment.environmentVersion + 1;
    await deployments.update(account, name, { environmentVersion, updatedAtMs: nowMs });
    await environment.write(scope, effective, environmentVersion, nowMs);
    const unfinished = await createDeployStore(transaction).listUnfinished(account, name);
    if (unfinished.length === 0 && deployment.stoppedAtMs !== null) return 'stopped';
    return deployment.currentRevision !== null || unfinished.length > 0 ? 'to_apply' : 'stored';
  }

  const accept = (
    transaction: Kysely<Database>,
    ticket: DeployTicket,
    account: AccountId,
    name: string,
    { actor }: AccountSource,
  ) =>
    acceptDeploy(
      transaction,
      { ...ticket, accountId: account, deployment: name, kind: 'environment', actor },
      `New variables for ${name}, without a build`,
      clock.nowMs(),
    );

  async function outcome(account: AccountId, name: string, deployId: string): Promise<SetEnvironmentResponse> {
    const patience = new AbortController();
    const timer = clock.setTimer(WAIT_MS, () => patience.abort());
    const query = { account, deployId, after: 0, signal: patience.signal };
    try {
      for await (const event of followDeploy({ db, clock, signals, cluster }, query)) {
        if (!isTerminal(event)) continue;
        const { revision = null, message } = event;
        return event.status === 'DONE'
          ? { detail: `The variables of "${name}" are set.`, status: 'applied', deploy_id: deployId, revision }
          : { detail: `Not applied: ${message}`, status: 'failed', deploy_id: deployId, revision: null };
      }
    } finally {
      timer.cancel();
    }
    const detail = `The variables of "${name}" are stored and being applied; follow deploy ${deployId}.`;
    return { detail, status: 'applying', deploy_id: deployId, revision: null };
  }

  return {
    /**
     * Stores a change and applies it as a new revision without a build. A free name is reserved for the account.
     * Resolves when the revision serves or failed to start, or after a minute at the latest.
     * @throws `invalid` for keys, values or a size that are not allowed; `forbidden` when another account owns the name;
     *   `conflict` while it is being deleted.
     */
    async set(
      account: AccountId,
      name: string,
      change: EnvironmentChange,
      source: AccountSource,
    ): Promise<SetEnvironmentResponse> {
      const issues = environmentChangeIssues(change, platformNames);
      if (issues.length > 0) throw createValidationError(issues);
      const result: { stored: Stored } = { stored: 'unchanged' };
      const deploy = await runner.submit(async (transaction, ticket) => {
        await refuseImpossibleName(transaction, account, name, change);
        result.stored = await store(transaction, account, name, change);
        if (result.stored === 'unchanged') return undefined;
        // The audit log gets keys only, never values.
        const details = { set: [...change.set.keys()], unset: change.unset };
        await audit.record({ ...source, action: 'environment.set', target: name, details }, transaction);
        return result.stored === 'to_apply' ? accept(transaction, ticket, account, name, source) : undefined;
      });
      if (deploy) return outcome(account, name, deploy.id);
      const answer = { deploy_id: null, revision: null };
      if (result.stored === 'unchanged') {
        return { detail: `The variables of "${name}" are unchanged.`, status: 'unchanged', ...answer };
      }
      const when = result.stored === 'stopped' ? 'and apply when it is resumed' : 'for its first deploy';
      return { detail: `The variables of "${name}" are stored ${when}.`, status: 'stored', ...answer };
    },
    /**
     * The current variables by key, without values.
     * @throws `forbidden`, `not_found`
     */
    async list(account: AccountId, name: string): Promise<EnvironmentKey[]> {
      await createDeploymentStore(db).get(account, name);
      return createEnvironmentStore(db, sealer).list({ account, deployment: name });
    },
  };
}
