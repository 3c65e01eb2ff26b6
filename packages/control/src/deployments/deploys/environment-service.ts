import type { AccountSource, AuditLog } from '@berth/accounts';
import {
  createError,
  createValidationError,
  isTerminal,
  type SetEnvironmentResponse,
  type SetSharedVariablesResponse,
  type ValidationIssue,
} from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Entitlements } from '../../billing/plans/entitlements.ts';
import {
  type EnvironmentChange,
  environmentChangeIssues,
  environmentSizeIssues,
} from '../environment/environment-change.ts';
import { createEnvironmentStore, type Variable, type VariableValue } from '../environment/environment-store.ts';
import { platformVariableNames } from '../environment/instance-environment.ts';
import {
  type ExternalSecret,
  externalNames,
  type ReferenceSources,
  resolveReferences,
} from '../environment/references.ts';
import { createSharedVariableStore, type SharedVariableRecord } from '../environment/shared-variable-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import { refuseName } from '../store/reserve-name.ts';
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
  urlOf(deployment: string): string;
  /** Asks the operator's secret store; absent without one. @throws BerthError `unavailable` when it doesn't answer */
  readonly readExternal?: ReadExternal | undefined;
}

/** Returns a secret of the operator's store for a deployment. */
export type ReadExternal = (request: {
  readonly account: AccountId;
  readonly deployment: string;
  readonly name: string;
}) => Promise<ExternalSecret>;

type ExternalSecrets = ReadonlyMap<string, ExternalSecret>;

/** The stored result of a change. */
type Stored = 'unchanged' | 'stored' | 'stopped' | 'to_apply';

/** How long a change waits for the revision. A service that starts more slowly can be followed by its deploy id. */
const WAIT_MS = 60_000;

/** The variables that owners set for their deployments. */
export type EnvironmentService = ReturnType<typeof createEnvironmentService>;

export function createEnvironmentService(options: EnvironmentServiceOptions) {
  const { db, clock, sealer, signals, cluster, runner, audit, entitlements, prefixes, reservedNames, urlOf } = options;
  const platformNames = platformVariableNames(prefixes);
  const readExternal: ReadExternal = async (request) =>
    (await options.readExternal?.(request)) ?? {
      problem: 'this platform has no external secret store. Its operator sets BERTH_SECRETS_COMMAND',
    };

  /** Asks for the external secrets of values. It takes seconds, so it is done before a transaction. */
  async function fetchExternal(
    account: AccountId,
    deployment: string,
    texts: Iterable<string>,
  ): Promise<ExternalSecrets> {
    const secrets = new Map<string, ExternalSecret>();
    const names = externalNames(texts);
    if (names.size === 0) return secrets;
    // Nothing is asked for a name of somebody else.
    if ((await createDeploymentStore(db).ownership(account, deployment)) === 'other')
      await createDeploymentStore(db).get(account, deployment);
    for (const name of names) secrets.set(name, await readExternal({ account, deployment, name }));
    return secrets;
  }

  /** Reserves a free name when the change sets something and a deploy could use the name. */
  async function refuseImpossibleName(
    transaction: Kysely<Database>,
    account: AccountId,
    name: string,
    change: EnvironmentChange,
  ): Promise<void> {
    const deployments = createDeploymentStore(transaction);
    if ((await deployments.ownership(account, name)) !== 'free') return;
    refuseName(name, reservedNames);
    if (change.set.size === 0) await deployments.get(account, name);
    else await entitlements.requireName(transaction, account);
  }

  async function sourcesOf(
    transaction: Kysely<Database>,
    account: AccountId,
    external: ExternalSecrets,
  ): Promise<ReferenceSources> {
    const shared = await createSharedVariableStore(transaction, sealer).list(account);
    const names = await createDeploymentStore(transaction).listNames(account);
    return {
      external,
      shared: new Map(shared.map(({ key, value }) => [key, value])),
      urlOf: (name) => (names.has(name) ? urlOf(name) : undefined),
    };
  }

  /** Resolves the values that are set. @throws `invalid` for references to nothing */
  function resolveAll(change: EnvironmentChange, sources: ReferenceSources): Map<string, VariableValue> {
    const issues: ValidationIssue[] = [];
    const resolved = new Map<string, VariableValue>();
    for (const [key, text] of change.set) {
      const result = resolveReferences(text, sources, ['body', 'set', key]);
      if ('issues' in result) issues.push(...result.issues);
      else {
        const template = result.sharedKeys && { template: text };
        resolved.set(key, { ...result, ...template, isPlain: change.plain.has(key) });
      }
    }
    if (issues.length > 0) throw createValidationError(issues);
    return resolved;
  }

  /** Writes the next version. */
  async function store(
    transaction: Kysely<Database>,
    account: AccountId,
    name: string,
    change: EnvironmentChange,
    external: ExternalSecrets,
  ): Promise<Stored> {
    const nowMs = clock.nowMs();
    const deployments = createDeploymentStore(transaction);
    const environment = createEnvironmentStore(transaction, sealer);
    const deployment = await deployments.claim(account, name, nowMs);
    if (deployment.status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
    const scope = { account, deployment: name };
    const before = new Map((await environment.list(scope)).map((variable) => [variable.key, variable]));
    const set = resolveAll(change, await sourcesOf(transaction, account, external));
    const effective = {
      set: new Map([...set].filter(([key, value]) => !isSame(before.get(key), value))),
      unset: change.unset.filter((key) => before.has(key)),
    };
    if (effective.set.size === 0 && effective.unset.length === 0) return 'unchanged';
    const after = new Map<string, VariableValue>([...before, ...effective.set]);
    for (const key of effective.unset) after.delete(key);
    const issues = environmentSizeIssues(after);
    if (issues.length > 0) throw createValidationError(issues);
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
    isLimited = true,
  ) =>
    acceptDeploy(
      transaction,
      { ...ticket, accountId: account, deployment: name, kind: 'environment', actor },
      `New variables for ${name}, without a build`,
      clock.nowMs(),
      isLimited,
    );

  /** Asks for the external secrets of variables that refer to changed shared ones too, by deployment. */
  async function externalOfReferring(
    account: AccountId,
    change: EnvironmentChange,
  ): Promise<ReadonlyMap<string, ExternalSecrets>> {
    const referring = await createEnvironmentStore(db, sealer).listReferring(account);
    const secrets = new Map<string, ExternalSecrets>();
    for (const name of new Set([...change.set.keys()].flatMap((key) => referring.get(key) ?? []))) {
      const variables = await createEnvironmentStore(db, sealer).list({ account, deployment: name });
      const templates = variables.flatMap(({ template, sharedKeys = [] }) =>
        template !== undefined && sharedKeys.some((key) => change.set.has(key)) ? [template] : [],
      );
      secrets.set(name, await fetchExternal(account, name, templates));
    }
    return secrets;
  }

  /** Resolves the references of a deployment to changed shared variables again. */
  async function followShared(
    transaction: Kysely<Database>,
    account: AccountId,
    name: string,
    changed: ReadonlySet<string>,
    external: ExternalSecrets,
  ): Promise<Stored> {
    const { status } = await createDeploymentStore(transaction).get(account, name);
    if (status === 'deleting') return 'stored';
    const variables = await createEnvironmentStore(transaction, sealer).list({ account, deployment: name });
    const referring = variables.filter(({ sharedKeys = [] }) => sharedKeys.some((key) => changed.has(key)));
    return await store(transaction, account, name, asSetAgain(referring), external);
  }

  /** Stores a change, which is read in the transaction, and applies it. */
  async function apply(
    account: AccountId,
    name: string,
    readChange: (transaction: Kysely<Database>) => Promise<EnvironmentChange>,
    external: ExternalSecrets,
    source: AccountSource,
  ): Promise<SetEnvironmentResponse> {
    const result: { stored: Stored } = { stored: 'unchanged' };
    const deploy = await runner.submit(async (transaction, ticket) => {
      const change = await readChange(transaction);
      await refuseImpossibleName(transaction, account, name, change);
      result.stored = await store(transaction, account, name, change, external);
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
  }

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
     * Stores a change in a transaction, for the next deploy. External secrets take seconds to ask for, so references to them are refused.
     * @throws as {@link set}
     */
    async write(transaction: Kysely<Database>, account: AccountId, name: string, change: EnvironmentChange) {
      const issues = environmentChangeIssues(change, platformNames);
      if (issues.length > 0) throw createValidationError(issues);
      await store(transaction, account, name, change, new Map());
    },
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
      const external = await fetchExternal(account, name, change.set.values());
      return apply(account, name, async () => change, external, source);
    },
    /**
     * Resolves the references of a deployment's variables again, and applies them as {@link set} does when a value is another one.
     * @throws `not_found`, `forbidden`; `invalid` for references to nothing; `unavailable` when the secret store doesn't answer
     */
    async refresh(account: AccountId, name: string, source: AccountSource): Promise<SetEnvironmentResponse> {
      const listReferences = async (database: Kysely<Database>) => {
        await createDeploymentStore(database).get(account, name);
        const variables = await createEnvironmentStore(database, sealer).list({ account, deployment: name });
        return asSetAgain(variables.filter(({ template }) => template !== undefined));
      };
      const external = await fetchExternal(account, name, (await listReferences(db)).set.values());
      return apply(account, name, listReferences, external, source);
    },
    /**
     * The current variables by key. The caller may show the values of plain ones only.
     * @throws `forbidden`, `not_found`
     */
    async list(account: AccountId, name: string): Promise<Variable[]> {
      await createDeploymentStore(db).get(account, name);
      return createEnvironmentStore(db, sealer).list({ account, deployment: name });
    },
    /**
     * Changes variables of the account, and applies them to each deployment that refers to them, as a new revision without a build. All
     * of it is stored when this resolves; the deploys go on.
     * @throws `invalid` for keys, values or a size that are not allowed; `conflict` for a key that is removed and referred to.
     */
    async setShared(
      account: AccountId,
      change: EnvironmentChange,
      source: AccountSource,
    ): Promise<SetSharedVariablesResponse> {
      const issues = environmentChangeIssues(change, NO_NAMES);
      if (issues.length > 0) throw createValidationError(issues);
      let answered: SetSharedVariablesResponse['deployments'] = [];
      let isChanged = false;
      const external = await externalOfReferring(account, change);
      await runner.submitAll(async (transaction, newTicket) => {
        const shared = createSharedVariableStore(transaction, sealer);
        const before = new Map((await shared.list(account)).map((variable) => [variable.key, variable]));
        const set = new Map(
          [...change.set].filter(([key, value]) => !isSame(before.get(key), { value, isPlain: change.plain.has(key) })),
        );
        const unset = change.unset.filter((key) => before.has(key));
        isChanged = set.size + unset.length > 0;
        answered = [];
        if (!isChanged) return [];
        const after = new Map<string, Pick<VariableValue, 'value'>>([
          ...before,
          ...[...set].map(([key, value]) => [key, { value }] as const),
        ]);
        for (const key of unset) after.delete(key);
        const sizeIssues = environmentSizeIssues(after);
        if (sizeIssues.length > 0) throw createValidationError(sizeIssues);
        const referring = await createEnvironmentStore(transaction, sealer).listReferring(account);
        for (const key of unset) {
          const names = referring.get(key) ?? [];
          if (names.length > 0)
            throw createError('conflict', `Variables of ${names.join(', ')} refer to ${key}. Change them first.`);
        }
        await shared.write(account, { set, unset, plain: change.plain }, clock.nowMs());
        const details = { set: [...set.keys()], unset };
        await audit.record({ ...source, action: 'environment.set_shared', target: account, details }, transaction);
        const deploys = [];
        for (const name of [...new Set([...set.keys()].flatMap((key) => referring.get(key) ?? []))].sort()) {
          const stored = await followShared(
            transaction,
            account,
            name,
            new Set(set.keys()),
            external.get(name) ?? new Map(),
          );
          const deploy =
            stored === 'to_apply' ? await accept(transaction, newTicket(), account, name, source, false) : undefined;
          if (deploy) deploys.push(deploy);
          answered.push({ name, deploy_id: deploy?.id ?? null });
        }
        return deploys;
      });
      const names = answered.map(({ name }) => name).join(', ');
      const detail = isChanged
        ? `The shared variables are set.${names === '' ? '' : ` New revisions start of: ${names}.`}`
        : 'The shared variables are unchanged.';
      return { detail, deployments: answered };
    },
    /** The account's shared variables, and which deployments refer to each. */
    async listShared(
      account: AccountId,
    ): Promise<(SharedVariableRecord & { readonly deployments: readonly string[] })[]> {
      const referring = await createEnvironmentStore(db, sealer).listReferring(account);
      const variables = await createSharedVariableStore(db, sealer).list(account);
      return variables.map((variable) => ({ ...variable, deployments: referring.get(variable.key) ?? [] }));
    },
  };
}

/** Returns the change that sets variables as they were set. */
function asSetAgain(variables: readonly Variable[]): EnvironmentChange {
  return {
    set: new Map(variables.map(({ key, value, template = value }) => [key, template])),
    unset: [],
    plain: new Set(variables.filter(({ isPlain }) => isPlain).map(({ key }) => key)),
  };
}

/** A shared variable is no variable of a service, so none of the platform's names is reserved for it. */
const NO_NAMES: ReadonlySet<string> = new Set();

function isSame(before: VariableValue | undefined, { value, template, isPlain }: VariableValue): boolean {
  return before?.value === value && before.template === template && before.isPlain === isPlain;
}
