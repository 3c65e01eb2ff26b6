import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';

/** Tokens of HTTP challenges are base64url, so none has a space. */
const PREFIX = 'dns-01 ';
/** Never expires: the row says that a record is in a zone, until it is removed there. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * Creates the durable list of DNS records that prove a domain while an order runs. The list is in the database, so any server removes
 * the records of one that was killed.
 */
export function createDnsRecordList(db: Kysely<Database>) {
  const tokenOf = ({ name, value }: { readonly name: string; readonly value: string }) => `${PREFIX}${name} ${value}`;
  return {
    async list() {
      const rows = await db
        .selectFrom('acme_challenges')
        .select(['token', 'answer'])
        .where('token', 'like', `${PREFIX}%`)
        .execute();
      return rows.map(({ token, answer }) => ({ name: token.slice(PREFIX.length, -answer.length - 1), value: answer }));
    },
    async add(record: { readonly name: string; readonly value: string }): Promise<void> {
      const row = { answer: record.value, expires_at: NEVER };
      await db
        .insertInto('acme_challenges')
        .values({ token: tokenOf(record), ...row })
        .onConflict((conflict) => conflict.column('token').doUpdateSet(row))
        .execute();
    },
    async remove(record: { readonly name: string; readonly value: string }): Promise<void> {
      await db.deleteFrom('acme_challenges').where('token', '=', tokenOf(record)).execute();
    },
  };
}
