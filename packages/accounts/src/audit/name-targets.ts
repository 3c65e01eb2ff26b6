import type { AuditAction, AuditNoun } from '@berth/contract';
import type { AuditLogTable, Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** The parts of an audit record that its target is named by. */
type Named = Pick<AuditLogTable, 'action' | 'target' | 'details'>;

/** The nouns whose targets are IDs, and the kind of thing behind the ID. Other targets are names already. */
const KINDS: Partial<Record<AuditNoun, 'key' | 'person' | 'account'>> = {
  ...{ account: 'account', key: 'key' },
  ...{ identity: 'person', member: 'person', password: 'person', person: 'person' },
};

/** Returns the name of a record's target, or null for a target that is a name itself, or was deleted. */
export type NameOfTarget = (record: Named) => string | null;

/**
 * Looks up the names of targets that are IDs, with at most three queries however many there are. The kind of a target is
 * taken from its action, never from its text: a device can have a name that is a person's ID.
 */
export async function nameTargets(
  db: Kysely<Database>,
  account: AccountId,
  records: readonly Named[],
): Promise<NameOfTarget> {
  const idsOf = (kind: string) => [
    ...new Set(records.filter((one) => kindOf(one) === kind).map(({ target }) => target)),
  ];
  const names = new Map<string, string>();
  const keyIds = idsOf('key');
  const userIds = idsOf('person');
  // Postgres rejects an empty list.
  if (keyIds.length > 0) {
    const keys = db.selectFrom('api_keys').select(['id', 'name']).where('account_id', '=', account);
    for (const { id, name } of await keys.where('id', 'in', keyIds).execute()) names.set(id, name);
  }
  if (userIds.length > 0) {
    const users = db.selectFrom('auth_users').select(['id', 'name']);
    for (const { id, name } of await users.where('id', 'in', userIds).execute()) names.set(id, name);
  }
  if (idsOf('account').length > 0) {
    const row = await db.selectFrom('accounts').select(['id', 'name']).where('id', '=', account).executeTakeFirst();
    if (row) names.set(row.id, row.name);
  }
  return (record) => (kindOf(record) && names.get(record.target)) ?? nameInDetails(record);
}

function kindOf({ action }: Named) {
  return KINDS[action.split('.')[0] as AuditNoun];
}

/** Returns the name of a passkey or the address of an invitation, which the record keeps when they are gone. */
function nameInDetails({ action, details }: Named): string | null {
  const key = NAMED_IN_DETAILS[action as AuditAction];
  if (key === undefined) return null;
  const name = (JSON.parse(details) as Readonly<Record<string, unknown>>)[key];
  return typeof name === 'string' ? name : null;
}

const NAMED_IN_DETAILS: Partial<Record<AuditAction, 'name' | 'email'>> = {
  ...{ 'passkey.create': 'name', 'passkey.rename': 'name', 'passkey.delete': 'name', 'passkey.sign_in': 'name' },
  ...{ 'passkey.refuse': 'name', 'member.invite': 'email', 'member.uninvite': 'email' },
};
