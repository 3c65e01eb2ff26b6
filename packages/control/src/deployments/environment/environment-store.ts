import { type Database, type Sealer, variableContext } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { EnvironmentChange } from './environment-change.ts';

/** A variable without its value. */
export interface EnvironmentKey {
  readonly key: string;
  readonly updatedAtMs: number;
}

/** The account and name of a deployment. */
export interface EnvironmentScope {
  readonly account: AccountId;
  readonly deployment: string;
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
    /** The current variables by key, without values. */
    async list(scope: EnvironmentScope): Promise<EnvironmentKey[]> {
      const rows = await rowsOf(scope)
        .select(['key', 'created_at'])
        .where('until_version', 'is', null)
        .orderBy('key')
        .execute();
      return rows.map((row) => ({ key: row.key, updatedAtMs: row.created_at }));
    },
    /** Writes `version`, derived from the previous one. The deployment's row must exist, and the store be of a transaction. */
    async write(scope: EnvironmentScope, change: EnvironmentChange, version: number, nowMs: number): Promise<void> {
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
      for (const [key, value] of change.set) {
        await db
          .insertInto('environment_variables')
          .values({
            account_id: scope.account,
            deployment: scope.deployment,
            key,
            since_version: version,
            until_version: null,
            sealed_value: box.seal(value, context(scope, key)),
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
