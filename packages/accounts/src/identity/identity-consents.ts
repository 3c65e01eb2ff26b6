import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { IdentityClient } from './identity-clients.ts';
import { type Person, subjectOf } from './person.ts';

/** Which agents know who somebody is, because they said so. */
export interface IdentityConsents {
  /** True for the person's own agents too. A program on a person's machine is asked about every time. */
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
      // RFC 8252 section 8.6: nothing tells such a program from another one.
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
