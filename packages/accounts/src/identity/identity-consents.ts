import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { IdentityClient } from './identity-clients.ts';
import { type Person, subjectOf } from './person.ts';

export function createIdentityConsents(options: { readonly db: Kysely<Database>; readonly clock: Clock }) {
  const { db, clock } = options;
  return {
    /** True also for agents of the person's own account. Always false for a program on the person's machine. */
    async has(person: Person, { id, accountId }: IdentityClient): Promise<boolean> {
      // RFC 8252 section 8.6: such programs can't be told apart.
      if (accountId === undefined) return false;
      if (accountId === person.accountId) return true;
      const row = await db
        .selectFrom('identity_consents')
        .select('created_at')
        .where('subject', '=', subjectOf(person))
        .where('client_id', '=', id)
        .where('client_account_id', '=', accountId)
        .executeTakeFirst();
      return row !== undefined;
    },
    async give(person: Person, { id, accountId }: IdentityClient): Promise<void> {
      if (accountId === undefined) return;
      await db
        .insertInto('identity_consents')
        .values({
          subject: subjectOf(person),
          client_id: id,
          client_account_id: accountId,
          created_at: clock.nowMs(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
  };
}
