import { createError } from '@berth/contract';
import type { DeploymentRecord } from './deployment-store.ts';

/**
 * Returns the record if it is a deployment.
 * @throws `not_found` for a name that only has an environment.
 */
export function refuseReserved(record: DeploymentRecord): DeploymentRecord {
  if (record.status !== 'reserved') return record;
  throw createError('not_found', `"${record.name}" has an environment and was never deployed.`);
}
