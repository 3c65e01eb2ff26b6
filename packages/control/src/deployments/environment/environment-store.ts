import { type Database, type Sealer, templateContext, variableContext } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** The value of a variable, as it was set and as services get it. */
export interface VariableValue {
  /** The value with its references resolved. */
  readonly value: string;
  /** The value as it was set, when it has references. */
  readonly template?: string;
  /** Keys of the shared variables that it refers to. */
  readonly sharedKeys?: readonly string[];
  /** The value may be read again. */
  readonly isPlain: boolean;
}

/** A variable that is set now. */
export interface Variable extends VariableValue {
  readonly key: string;
  readonly updatedAtMs: number;
}

/** The account and name of a deployment. */
export interface EnvironmentScope {
  readonly account: AccountId;
  readonly deployment: string;
}

/** A change to the next version. */
export interface VariableChanges {
  readonly set: ReadonlyMap<string, VariableValue>;
  readonly unset: readonly string[];
}

/**
 * Sealed variables of deployments, with their history: a revision keeps the version it was created with, whatever is
 * set later.
 */
export function createEnvironmentStore(db: Kysely<Database>, sealer: Sealer) {
  const context = ({ account, deployment }: EnvironmentScope, key: string) => variableContext(account, deployment, key);
  const rowsOf = ({ account, deployment }: EnvironmentScope) =>
    db.selectFrom('environment_variables').where('account_id', '=', account).where('deployment', '=', deployment);
  return {
    /** The variables as they were at `version`. */
    async read(scope: EnvironmentScope, version: number): Promise<Map<string, string>> {
      const rows = await rowsOf(scope)
        .select(['key', 'sealed_value'])
        .where('since_version', '<=', version)
        .where((eb) => eb.or([eb('until_version', 'is', null), eb('until_version', '>', version)]))
        .orderBy('key')
        .execute();
      return new Map(rows.map((row) => [row.key, sealer.open(row.sealed_value, context(scope, row.key))]));
    },
    /** The current variables, sorted by key. */
    async list(scope: EnvironmentScope): Promise<Variable[]> {
      const rows = await rowsOf(scope).selectAll().where('until_version', 'is', null).orderBy('key').execute();
      return rows.map(({ key, sealed_value, sealed_template, shared_keys, is_plain, created_at }) => ({
        key,
        value: sealer.open(sealed_value, context(scope, key)),
        ...(sealed_template === null
          ? {}
          : { template: sealer.open(sealed_template, templateContext(scope.account, scope.deployment, key)) }),
        ...(shared_keys === null ? {} : { sharedKeys: JSON.parse(shared_keys) as string[] }),
        isPlain: is_plain === 1,
        updatedAtMs: created_at,
      }));
    },
    /** The deployments of an account whose current variables refer to each shared variable, sorted. */
    async listReferring(account: AccountId): Promise<ReadonlyMap<string, readonly string[]>> {
      const rows = await db
        .selectFrom('environment_variables')
        .select(['deployment', 'shared_keys'])
        .where('account_id', '=', account)
        .where('until_version', 'is', null)
        .where('shared_keys', 'is not', null)
        .orderBy('deployment')
        .execute();
      const referring = new Map<string, string[]>();
      for (const { deployment, shared_keys } of rows) {
        for (const key of JSON.parse(shared_keys ?? '[]') as string[]) {
          const names = referring.get(key) ?? [];
          if (!names.includes(deployment)) referring.set(key, [...names, deployment]);
        }
      }
      return referring;
    },
    /** Writes `version`, derived from the previous one. The deployment's row must exist, and the store be of a transaction. */
    async write(scope: EnvironmentScope, change: VariableChanges, version: number, nowMs: number): Promise<void> {
      const keys = [...change.set.keys(), ...change.unset];
      if (keys.length === 0) return;
      await db
        .updateTable('environment_variables')
        .set({ until_version: version })
        .where('account_id', '=', scope.account)
        .where('deployment', '=', scope.deployment)
        .where('until_version', 'is', null)
        .where('key', 'in', keys)
        .execute();
      const box = await sealer.current(db);
      for (const [key, { value, template, sharedKeys, isPlain }] of change.set) {
        await db
          .insertInto('environment_variables')
          .values({
            account_id: scope.account,
            deployment: scope.deployment,
            key,
            since_version: version,
            until_version: null,
            sealed_value: box.seal(value, context(scope, key)),
            sealed_template:
              template === undefined ? null : box.seal(template, templateContext(scope.account, scope.deployment, key)),
            shared_keys: sharedKeys === undefined ? null : JSON.stringify(sharedKeys),
            is_plain: isPlain ? 1 : 0,
            created_at: nowMs,
          })
          .execute();
      }
    },
    /** Deletes values that were replaced before `version`, which no revision needs. */
    async prune(scope: EnvironmentScope, version: number): Promise<void> {
      await db
        .deleteFrom('environment_variables')
        .where('account_id', '=', scope.account)
        .where('deployment', '=', scope.deployment)
        .where('until_version', '<=', version)
        .execute();
    },
  };
}
