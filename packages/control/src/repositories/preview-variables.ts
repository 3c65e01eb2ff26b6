import { type Database, repositoryContext, type Sealer } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { EnvironmentChange } from '../deployments/environment/environment-change.ts';
import { createEnvironmentStore } from '../deployments/environment/environment-store.ts';
import { externalNames } from '../deployments/environment/references.ts';
import { createSharedVariableStore } from '../deployments/environment/shared-variable-store.ts';
import type { RepositoryRow } from './repository-context.ts';

/** Returns the variables that only the previews of a repository get. */
export function readPreviewVariables(
  { id, sealed_preview_variables: sealed }: Pick<RepositoryRow, 'id' | 'sealed_preview_variables'>,
  sealer: Sealer,
): ReadonlyMap<string, string> {
  if (sealed === null) return new Map();
  const text = sealer.open(sealed, repositoryContext(id, 'preview_variables'));
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

/**
 * Returns the change that gives a preview its environment: the deployment's plain variables with their references resolved, and those that
 * only previews get. A secret of the deployment never reaches a preview, also not by a plain variable that
 * refers to a secret shared one or to an external secret.
 */
export async function previewEnvironment(
  transaction: Kysely<Database>,
  row: RepositoryRow,
  preview: string,
  sealer: Sealer,
): Promise<EnvironmentChange> {
  const account = row.account_id as AccountId;
  const environment = createEnvironmentStore(transaction, sealer);
  const shared = await createSharedVariableStore(transaction, sealer).list(account);
  const secretKeys = new Set(shared.filter(({ isPlain }) => !isPlain).map(({ key }) => key));
  const variables = await environment.list({ account, deployment: row.deployment });
  const plain = variables.filter(
    ({ isPlain, sharedKeys = [], template = '' }) =>
      isPlain && externalNames([template]).size === 0 && !sharedKeys.some((key) => secretKeys.has(key)),
  );
  const overrides = readPreviewVariables(row, sealer);
  const set = new Map([...plain.map(({ key, value }) => [key, value] as const), ...overrides]);
  const before = await environment.list({ account, deployment: preview });
  return {
    set,
    unset: before.map(({ key }) => key).filter((key) => !set.has(key)),
    plain: new Set(plain.map(({ key }) => key).filter((key) => !overrides.has(key))),
  };
}
