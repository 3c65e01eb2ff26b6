import { createError } from '@berth/contract';
import type { AccountId } from '@berth/kit';
import type { LogScope, LogStore } from '@berth/logstore';
import type { DeploymentStore } from '../deployments/store/deployment-store.ts';

/** The dependencies of the log routes. */
export interface LogRouteDeps {
  readonly logs: LogStore;
  readonly deployments: Pick<DeploymentStore, 'ownership'>;
}

/** Characters of a name in a message; a caller may send any text as a name. */
const SHOWN_NAME_CHARACTERS = 100;

/**
 * Returns the log of a name that an account may read: of its deployment, or of its own deleted deployment while the
 * name is free and entries are kept.
 * @throws `forbidden` when the name belongs to another account, `not_found` when it stands for no log.
 */
export async function getReadableScope(
  { logs, deployments }: LogRouteDeps,
  account: AccountId,
  name: string,
): Promise<LogScope> {
  const scope = { account, deployment: name };
  const shownName = name.slice(0, SHOWN_NAME_CHARACTERS);
  const ownership = await deployments.ownership(account, name);
  if (ownership === 'own') return scope;
  if (ownership === 'other') throw createError('forbidden', `The name "${shownName}" belongs to another account.`);
  const [entry] = await logs.read(scope, { limit: 1 });
  if (!entry) throw createError('not_found', `No deployment is named "${shownName}".`);
  return scope;
}
