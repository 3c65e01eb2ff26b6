import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { IdentityClient } from './identity-clients.ts';
import { type Person, subjectOf } from './person.ts';

/** Consents: which agents a person lets know who they are. */
export interface IdentityConsents {
  /** True also for agents of the person's own account. Always false for a program on the person's machine. */
  has(person: Person, client: IdentityClient): Promise<boolean>;
  give(person: Person, client: IdentityClient): Promise<void>;
}

export function createIdentityConsents(options: {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}): IdentityConsents {
  const { db, clock } = options;
  return {
    async has(person, { id, accountId }) {
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
    async give(person, { id, accountId }) {
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
