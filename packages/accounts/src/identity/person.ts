import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** The subject of a token: a person in an account, or the account itself for keys that no person created. */
export interface Person {
  readonly accountId: AccountId;
  readonly userId: string | undefined;
}

/** The claims that agents get about a person. Source: docs/contract/agent-api.md §1. */
export interface PersonClaims {
  readonly sub: string;
  readonly name: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly picture?: string;
  readonly org_id: string;
  readonly org_slug: string;
  readonly org_role: 'admin' | 'member';
  readonly plan: string;
}

/** The `sub` claim of a person. */
export function subjectOf({ accountId, userId }: Person): string {
  return userId ?? accountId;
}

/** Returns the current claims; undefined when the person no longer belongs to the account. */
export async function describePerson(db: Kysely<Database>, person: Person): Promise<PersonClaims | undefined> {
  const { accountId, userId } = person;
  const account = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirst();
  if (!account) return undefined;
  const claims = { sub: subjectOf(person), org_id: account.id, org_slug: account.name, plan: account.plan };
  if (userId === undefined) return { ...claims, name: account.name, org_role: 'admin' };
  const user = await db
    .selectFrom('account_members as member')
    .innerJoin('auth_users as user', 'user.id', 'member.user_id')
    .select(['user.name', 'user.email', 'user.email_verified', 'user.image', 'member.role'])
    .where('member.account_id', '=', accountId)
    .where('member.user_id', '=', userId)
    .executeTakeFirst();
  if (!user) return undefined;
  return {
    ...claims,
    name: user.name,
    email: user.email,
    email_verified: user.email_verified === 1,
    ...(user.image === null ? {} : { picture: user.image }),
    org_role: user.role === 'member' ? 'member' : 'admin',
  };
}
