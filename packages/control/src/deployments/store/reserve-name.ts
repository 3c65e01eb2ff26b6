import { createError, createValidationError, deploymentNameProblem } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createDeploymentStore } from './deployment-store.ts';

/** Dependencies of {@link reserveName}. */
export interface ReserveNameDeps {
  readonly entitlements: { requireName(transaction: Kysely<Database>, account: AccountId): Promise<void> };
  /** Names that the operator reserves. */
  readonly reservedNames: readonly string[];
  readonly nowMs: number;
}

/** @throws `invalid` for a name that no deployment can have */
export function refuseName(name: string, reservedNames: readonly string[]): void {
  const problem = deploymentNameProblem(name, reservedNames);
  if (problem) throw createValidationError([{ loc: ['body', 'deployment_name'], msg: problem, type: 'name_invalid' }]);
}

/** Reserves a free name for the account before its first deploy. @throws `invalid`, `forbidden`, `conflict`, `too_many_requests` */
export async function reserveName(
  transaction: Kysely<Database>,
  account: AccountId,
  name: string,
  { entitlements, reservedNames, nowMs }: ReserveNameDeps,
): Promise<void> {
  const deployments = createDeploymentStore(transaction);
  if ((await deployments.ownership(account, name)) === 'free') {
    refuseName(name, reservedNames);
    await entitlements.requireName(transaction, account);
  }
  const { status } = await deployments.claim(account, name, nowMs);
  if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
}
