import type { Database } from '@berth/database';
import type { GatewayControl } from '@berth/gateway';
import { describeError, type Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import { listServingRevisions } from './revision-store.ts';
import type { RevisionTargets } from './revision-targets.ts';

export interface RegisterContext {
  readonly db: Kysely<Database>;
  readonly gateway: Pick<GatewayControl, 'register'>;
  readonly targets: RevisionTargets;
  readonly logger: Logger;
}

/**
 * Registers every serving revision with the gateway, without starting any. A failure is logged: it must
 * not stop the others from serving.
 * @returns how many were registered.
 */
export async function registerRevisions({ db, gateway, targets, logger }: RegisterContext): Promise<number> {
  let count = 0;
  for (const revision of await listServingRevisions(db)) {
    try {
      gateway.register(await targets.create(revision));
      count++;
    } catch (error) {
      logger.error({ revision: revision.revision, error: describeError(error) }, 'a revision can not be served');
    }
  }
  return count;
}
