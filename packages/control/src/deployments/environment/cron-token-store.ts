import { randomBytes } from 'node:crypto';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { SecretBox } from '@berth/kit/node';
import type { Kysely } from 'kysely';

/** 256 bits. */
const TOKEN_BYTES = 32;

/** The tokens by which services recognize scheduled calls. */
export type CronTokenStore = ReturnType<typeof createCronTokenStore>;

export function createCronTokenStore(db: Kysely<Database>, box: SecretBox) {
  return {
    /** Returns the deployment's token, created at first use and then constant. The deployment's row must exist. */
    async ensure(account: AccountId, deployment: string, nowMs: number): Promise<string> {
      const context = ['cron', account, deployment];
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      await db
        .insertInto('cron_tokens')
        .values({ account_id: account, deployment, sealed_token: box.seal(token, context), created_at: nowMs })
        .onConflict((conflict) => conflict.column('deployment').doNothing())
        .execute();
      const row = await db
        .selectFrom('cron_tokens')
        .select('sealed_token')
        .where('account_id', '=', account)
        .where('deployment', '=', deployment)
        .executeTakeFirstOrThrow();
      return box.open(row.sealed_token, context);
    },
  };
}
