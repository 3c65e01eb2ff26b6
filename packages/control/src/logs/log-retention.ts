import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Entitlements } from '../billing/plans/entitlements.ts';

const DAY_MS = 86_400_000;

export interface LogRetentionOptions {
  readonly db: Kysely<Database>;
  readonly entitlements: Pick<Entitlements, 'planOf'>;
  /** The retention for deleted accounts. */
  readonly defaultDays: number;
}

/** Returns how long an account's logs are kept, in milliseconds, by its current plan. */
export function createLogRetention({ db, entitlements, defaultDays }: LogRetentionOptions) {
  return async (account: string): Promise<number> => {
    const known = await db.selectFrom('accounts').select('id').where('id', '=', account).executeTakeFirst();
    if (!known) return defaultDays * DAY_MS;
    const { limits } = await entitlements.planOf(db, account as AccountId);
    return limits.log_retention_days * DAY_MS;
  };
}
