import { createError } from '@berth/contract';
import type { AccountId } from '@berth/kit';
import type { LogScope, LogStore } from '@berth/logstore';
import type { DeploymentStore } from '../deployments/store/deployment-store.ts';

/** What the log routes need. */
export interface LogRouteDeps {
  readonly logs: LogStore;
  readonly deployments: Pick<DeploymentStore, 'ownership'>;
}

/** A name in a message is cut: the caller sends any text as one. */
const SHOWN_NAME_CHARACTERS = 100;

/**
 * The log that a name stands for, for an account: that of its deployment, or of a deleted one of its own as long as the
 * name is nobody's now and entries are kept.
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
