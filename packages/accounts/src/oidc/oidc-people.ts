import type { Role } from '@berth/contract';
import type { Database } from '@berth/database';
import { type AccountId, BerthError } from '@berth/kit';
import type { Transaction } from 'kysely';
import { auditPerson, type ServiceDeps } from '../audit/audit-log.ts';
import type { Invites } from '../members/invites.ts';
import { endAllAccess } from '../people/end-access.ts';
import { insertCredential, insertMember, insertPerson } from '../people/insert-user.ts';
import type { SessionUser } from '../sessions/sessions.ts';
import type { OidcClaims } from './oidc-client.ts';
import type { OidcPurpose } from './oidc-flow.ts';
import type { OidcProvider } from './parse-oidc-providers.ts';
import { SignInRefusal } from './sign-in-refusal.ts';

/** A person that a provider authenticated, and the purpose of the sign-in. */
export interface Arrival {
  readonly provider: OidcProvider;
  readonly claims: OidcClaims;
  readonly purpose: OidcPurpose;
  readonly requestId: string;
}

/**
 * Creates the mapping of people at providers to people of the platform. Invariants:
 * 1. A person is identified by issuer and subject, never by an address, which a provider may reassign.
 * 2. Only a verified address counts, and it links people only where the operator allows it.
 * 3. Typing an address first does not prove that one owns it. A person whose address was never verified is handed to the one who
 *    proves it: every earlier way to sign in as that person ends in the same transaction.
 */
export function createOidcPeople({
  clock,
  ids,
  audit,
  invites,
}: ServiceDeps & { readonly invites: Pick<Invites, 'admit'> }) {
  const link = async (
    { id: userId, email }: SessionUser,
    { provider, claims, requestId }: Arrival,
    transaction: Transaction<Database>,
    more: Readonly<Record<string, boolean>> = {},
  ): Promise<void> => {
    const { issuer: providerId, subject } = claims;
    await insertCredential({ userId, providerId, subject, clock, ids }, transaction);
    if (email === claims.email) {
      await transaction.updateTable('auth_users').set({ email_verified: 1 }).where('id', '=', userId).execute();
    }
    const source = { actor: { kind: 'session', id: userId }, requestId } as const;
    const details = { provider: provider.id, ...more };
    await auditPerson(audit, userId, { ...source, action: 'identity.link', target: userId, details }, transaction);
  };

  /** Invariant 3. */
  const claim = async (known: KnownPerson, arrival: Arrival, transaction: Transaction<Database>): Promise<void> => {
    if (!arrival.provider.link_by_email) throw new SignInRefusal('email_taken');
    const isVerified = known.email_verified === 1;
    if (!isVerified) await endAllAccess({ userId: known.id, nowMs: clock.nowMs() }, transaction);
    await link(known, arrival, transaction, { ended_access: !isVerified });
  };

  const join = async (person: SessionUser, token: string, requestId: string, transaction: Transaction<Database>) => {
    try {
      await invites.admit(token, person, { actor: { kind: 'session', id: person.id }, requestId }, transaction);
    } catch (cause) {
      if (BerthError.is(cause, 'not_found') || BerthError.is(cause, 'forbidden')) {
        throw new SignInRefusal('invitation', cause);
      }
      throw cause;
    }
  };

  const create = async ({ provider, claims, purpose, requestId }: Arrival, transaction: Transaction<Database>) => {
    const { email, name = email, issuer: providerId, subject } = claims;
    const account = purpose.kind === 'join' ? undefined : await accountOfNew(provider, transaction);
    if (email === undefined || name === undefined) throw new SignInRefusal('email_unverified');
    const person = { id: ids.next('usr'), name, email };
    await insertPerson({ ...person, isEmailVerified: true, clock }, transaction);
    await insertCredential({ userId: person.id, providerId, subject, clock, ids }, transaction);
    if (account) {
      const { accountId, role } = account;
      await insertMember({ accountId, userId: person.id, role }, clock, transaction);
      const actor = { kind: 'session', id: person.id } as const;
      const details = { role, provider: provider.id };
      const record = { accountId, actor, requestId, action: 'member.join' as const, target: person.id, details };
      await audit.record(record, transaction);
    }
    return person;
  };

  return {
    /** Finds, links or creates the person. @throws SignInRefusal; nothing has changed then */
    async admit(arrival: Arrival, transaction: Transaction<Database>): Promise<SessionUser> {
      const { provider, claims, purpose, requestId } = arrival;
      requireDomain(provider, claims);
      let person = await findByIdentity(claims, transaction);
      if (purpose.kind === 'link') {
        const asker = await findAsker(purpose, clock.nowMs(), transaction);
        if (person && person.id !== asker.id) throw new SignInRefusal('linked_elsewhere');
        if (!person) await link(asker, arrival, transaction);
        return asker;
      }
      if (!person) {
        const known = await findByEmail(claims, transaction);
        if (known) await claim(known, arrival, transaction);
        person = known ?? (await create(arrival, transaction));
      }
      if (purpose.kind === 'join') await join(person, purpose.token, requestId, transaction);
      return person;
    },
  };
}

function requireDomain({ email_domains }: OidcProvider, { email }: OidcClaims): void {
  if (email_domains.length === 0) return;
  if (email === undefined) throw new SignInRefusal('email_unverified');
  if (!email_domains.includes(email.slice(email.lastIndexOf('@') + 1))) throw new SignInRefusal('email_domain');
}

async function accountOfNew(
  { new_people }: OidcProvider,
  transaction: Transaction<Database>,
): Promise<{ readonly accountId: AccountId; readonly role: Role }> {
  if (!new_people) throw new SignInRefusal('closed');
  const accounts = transaction.selectFrom('accounts').select('id').where('name', '=', new_people.account);
  const account = await accounts.executeTakeFirst();
  if (!account) throw new SignInRefusal('closed', new Error(`there is no account ${new_people.account}`));
  return { accountId: account.id as AccountId, role: new_people.role };
}

function peopleOf(transaction: Transaction<Database>) {
  return transaction.selectFrom('auth_users as user').select(['user.id', 'user.name', 'user.email']);
}

function findByIdentity({ issuer, subject }: OidcClaims, transaction: Transaction<Database>) {
  return peopleOf(transaction)
    .innerJoin('auth_accounts as identity', 'identity.user_id', 'user.id')
    .where('identity.provider_id', '=', issuer)
    .where('identity.account_id', '=', subject)
    .executeTakeFirst();
}

type KnownPerson = SessionUser & { readonly email_verified: number };

async function findByEmail(
  { email }: OidcClaims,
  transaction: Transaction<Database>,
): Promise<KnownPerson | undefined> {
  if (email === undefined) return undefined;
  return peopleOf(transaction).select('user.email_verified').where('user.email', '=', email).executeTakeFirst();
}

/** Returns the person who asked for a link, if the session in which they asked has not ended. @throws SignInRefusal `expired` */
async function findAsker(
  { userId, sessionId }: Extract<OidcPurpose, { kind: 'link' }>,
  nowMs: number,
  transaction: Transaction<Database>,
): Promise<SessionUser> {
  const person = await peopleOf(transaction)
    .innerJoin('auth_sessions as session', 'session.user_id', 'user.id')
    .where('user.id', '=', userId)
    .where('session.id', '=', sessionId)
    .where('session.expires_at', '>', nowMs)
    .executeTakeFirst();
  if (!person) throw new SignInRefusal('expired');
  return person;
}
