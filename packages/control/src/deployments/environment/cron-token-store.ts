import { randomBytes } from 'node:crypto';
import { cronTokenContext, type Database, type Sealer } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** 256 bits. */
const TOKEN_BYTES = 32;

/** The tokens by which services recognize scheduled calls. */
export type CronTokenStore = ReturnType<typeof createCronTokenStore>;

export function createCronTokenStore(db: Kysely<Database>, sealer: Sealer) {
  return {
    /** Returns the deployment's token, created at first use and then constant. The deployment's row must exist. */
    async ensure(account: AccountId, deployment: string, nowMs: number): Promise<string> {
      const find = async () => {
        const row = await db
          .selectFrom('cron_tokens')
          .select('sealed_token')
          .where('account_id', '=', account)
          .where('deployment', '=', deployment)
          .executeTakeFirst();
        return row && sealer.open(row.sealed_token, cronTokenContext(account, deployment));
      };
      const known = await find();
      if (known !== undefined) return known;
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const context = cronTokenContext(account, deployment);
      await db.transaction().execute(async (transaction) => {
        const box = await sealer.current(transaction);
        await transaction
          .insertInto('cron_tokens')
          .values({ account_id: account, deployment, sealed_token: box.seal(token, context), created_at: nowMs })
          .onConflict((conflict) => conflict.column('deployment').doNothing())
          .execute();
      });
      const stored = await find();
      if (stored === undefined) throw new Error(`deployment ${deployment} belongs to another account`);
      return stored;
    },
  };
}
