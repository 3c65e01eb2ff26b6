import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { AuditLog, AuditRecord } from './audit-log.ts';

/** An audit record about a person rather than one of their accounts. */
export type PersonAuditRecord = Omit<AuditRecord, 'accountId'>;

/** Appends a record to the log of each of a person's accounts, since a change of sign-in affects them all. */
export async function auditPerson(
  audit: Pick<AuditLog, 'record'>,
  userId: string,
  record: PersonAuditRecord,
  transaction: Kysely<Database>,
): Promise<void> {
  const rows = await transaction
    .selectFrom('account_members')
    .select('account_id')
    .where('user_id', '=', userId)
    .execute();
  for (const { account_id } of rows) {
    await audit.record({ ...record, accountId: account_id as AccountId }, transaction);
  }
}
