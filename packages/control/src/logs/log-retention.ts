import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Entitlements } from '../billing/plans/entitlements.ts';

const DAY_MS = 86_400_000;

export interface LogRetentionOptions {
  readonly db: Kysely<Database>;
  readonly entitlements: Pick<Entitlements, 'planOf'>;
  /** Of accounts that there are none of any more. */
  readonly defaultDays: number;
}

/** How long the logs of an account are kept, in milliseconds: as its plan says at the moment. */
export function createLogRetention({ db, entitlements, defaultDays }: LogRetentionOptions) {
  return async (account: string): Promise<number> => {
    const known = await db.selectFrom('accounts').select('id').where('id', '=', account).executeTakeFirst();
    if (!known) return defaultDays * DAY_MS;
    const { limits } = await entitlements.planOf(db, account as AccountId);
    return limits.log_retention_days * DAY_MS;
  };
}
