import {
  type CreatePasskeyRequest,
  createError,
  createValidationError,
  type Passkey,
  type PasskeyOptions,
} from '@berth/contract';
import { type Database, isUniqueViolation, type PasskeysTable } from '@berth/database';
import { describeUserAgent, type Logger } from '@berth/kit';
import type { Kysely, Transaction } from 'kysely';
import { type AuditSource, auditPerson, type ServiceDeps } from '../audit/audit-log.ts';
import { createRateLimiter } from '../limits/rate-limiter.ts';
import { countWaysToSignIn } from '../people/ways-to-sign-in.ts';
import { verifyPassword } from '../secrets/password-hash.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { authenticatorName } from './authenticator-name.ts';
import { CHALLENGE_MS, type Challenges } from './challenges.ts';
import { checkNewPasskey, readChallenge } from './check-passkey.ts';
import type { RelyingParty } from './relying-party.ts';

/** Passkeys per person: far more than anyone has devices. */
const MAX_PASSKEYS = 20;

/** Attempts at the password, per person. */
const PASSWORD_RULE = { windowSeconds: 60, max: 10 } as const;

/** Ed25519, ECDSA with P-256, RSA. Source: WebAuthn 3 section 5.4, IANA COSE Algorithms. */
const ALGORITHMS = [-8, -7, -257];

/** A person, and the session that the request came from. */
export interface PasskeyOwner {
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * A person's own passkeys. Invariants:
 * 1. Adding one requires a recent sign-in or the password, so that a person who finds an open session can't create
 *    a way to sign in that outlives it.
 * 2. A stored passkey was created for this platform's host, on its origin, for a challenge used once, in the session
 *    that asked for it, with user verification.
 * 3. A person always keeps one way to sign in.
 */
export interface Passkeys {
  /** The person's passkeys, newest first. */
  list(userId: string): Promise<readonly Passkey[]>;
  /**
   * Returns the options for the browser's `navigator.credentials.create`.
   * @throws `forbidden` without the password in an older session, `invalid` for a wrong one, `too_many_requests`, `conflict`
   *   for a person who has 20; `not_available` where browsers have no passkeys for this platform.
   */
  begin(owner: PasskeyOwner, password: string | undefined): Promise<PasskeyOptions>;
  /** Stores a new passkey. @throws `bad_request` for an invalid answer, `conflict` for a passkey that exists already */
  add(owner: PasskeyOwner, request: CreatePasskeyRequest, userAgent: string, source: AuditSource): Promise<Passkey>;
  /** @throws `not_found` */
  rename(userId: string, id: string, name: string, source: AuditSource): Promise<Passkey>;
  /** @throws `not_found`; `conflict` for the only way to sign in */
  remove(userId: string, id: string, source: AuditSource): Promise<void>;
}

export interface CreatePasskeysOptions extends ServiceDeps {
  readonly logger: Logger;
  readonly sessions: Pick<Sessions, 'isFresh'>;
  readonly challenges: Challenges;
  readonly party: RelyingParty | undefined;
  /** The configured outside providers. */
  readonly oidcProviders?: readonly { readonly issuer: string }[] | undefined;
}

export function createPasskeys(options: CreatePasskeysOptions): Passkeys {
  const { db, clock, ids, logger, audit, sessions, challenges } = options;
  const limiter = createRateLimiter(clock);

  const rowsOf = (userId: string, from: Kysely<Database> = db) =>
    from.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id', 'desc');

  const requireRoom = async (userId: string, from: Kysely<Database>): Promise<readonly PasskeysTable[]> => {
    const rows = await rowsOf(userId, from).execute();
    if (rows.length < MAX_PASSKEYS) return rows;
    throw createError('conflict', `You have ${MAX_PASSKEYS} passkeys, the maximum. Remove an unused one first.`);
  };

  const requireProof = async ({ userId, sessionId }: PasskeyOwner, password: string | undefined): Promise<void> => {
    if (password === undefined) {
      if (await sessions.isFresh(sessionId)) return;
      throw createError('forbidden', 'Your sign-in is older than 15 minutes. Enter your password, or sign in again.');
    }
    limiter.take(userId, PASSWORD_RULE);
    const row = await db
      .selectFrom('auth_accounts')
      .select('password')
      .where('user_id', '=', userId)
      .where('password', 'is not', null)
      .executeTakeFirst();
    if (await verifyPassword(row?.password, password)) return;
    throw createValidationError([{ loc: ['body', 'password'], msg: 'is not your password', type: 'wrong_password' }]);
  };

  /** @throws `bad_request` */
  const check = async (owner: PasskeyOwner, { credential }: CreatePasskeyRequest) => {
    const party = requireParty(options.party);
    try {
      const challenge = readChallenge(credential.response.clientDataJSON);
      const isGood = await challenges.use(challenge, { to: 'register', session: owner.sessionId });
      if (!isGood) throw new Error('the challenge is unknown, used, expired or from another session');
      return await checkNewPasskey(credential, challenge, party);
    } catch (error) {
      logger.warn({ part: 'passkeys', reason: String(error) }, 'a new passkey was rejected');
      throw createError('bad_request', 'The passkey could not be verified, or the request timed out. Try again.');
    }
  };

  return {
    async list(userId) {
      return (await rowsOf(userId).execute()).map(toPasskey);
    },

    async begin(owner, password) {
      const party = requireParty(options.party);
      const { userId, sessionId } = owner;
      await requireProof(owner, password);
      const known = await requireRoom(userId, db);
      const users = db.selectFrom('auth_users').select(['name', 'email']).where('id', '=', userId);
      const { name, email } = await users.executeTakeFirstOrThrow();
      return {
        challenge: await challenges.issue({ to: 'register', session: sessionId }),
        timeout: CHALLENGE_MS,
        rp: { id: party.id, name: 'Berth' },
        user: { id: toUserHandle(userId), name: email, displayName: name },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: known.map(({ credential_id: id, transports }) => ({
          type: 'public-key',
          id,
          transports: JSON.parse(transports) as string[],
        })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
      };
    },

    async add(owner, request, userAgent, source) {
      const made = await check(owner, request);
      const row: PasskeysTable = {
        id: ids.next('pky'),
        user_id: owner.userId,
        credential_id: made.credentialId,
        public_key: made.publicKey,
        counter: made.counter,
        transports: JSON.stringify(request.credential.response.transports ?? []),
        is_synced: made.isSynced ? 1 : 0,
        name: request.name ?? authenticatorName(made.aaguid) ?? nameByBrowser(userAgent),
        created_at: clock.nowMs(),
        last_used_at: null,
      };
      const { id: target, name } = row;
      try {
        await db.transaction().execute(async (transaction) => {
          await requireRoom(owner.userId, transaction);
          await transaction.insertInto('passkeys').values(row).execute();
          const record = { ...source, action: 'passkey.create' as const, target, details: { name } };
          await auditPerson(audit, owner.userId, record, transaction);
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw createError('conflict', 'This passkey is already added.');
      }
      return toPasskey(row);
    },

    rename: (userId, id, name, source) =>
      db.transaction().execute(async (transaction) => {
        const row = await getRow(transaction, userId, id);
        await transaction.updateTable('passkeys').set({ name }).where('id', '=', id).execute();
        const record = {
          ...source,
          action: 'passkey.rename' as const,
          target: id,
          details: { name, before: row.name },
        };
        await auditPerson(audit, userId, record, transaction);
        return toPasskey({ ...row, name });
      }),

    remove: (userId, id, source) =>
      db.transaction().execute(async (transaction) => {
        const { name } = await getRow(transaction, userId, id);
        await transaction.deleteFrom('passkeys').where('id', '=', id).execute();
        if ((await countWaysToSignIn(userId, transaction, options.oidcProviders)) === 0) {
          throw createError('conflict', 'This is your only sign-in method. Add another one first.');
        }
        const record = { ...source, action: 'passkey.delete' as const, target: id, details: { name } };
        await auditPerson(audit, userId, record, transaction);
      }),
  };
}

/** The user handle that authenticators store: no name, no address. */
export function toUserHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url');
}

/** @throws `not_available` */
export function requireParty(party: RelyingParty | undefined): RelyingParty {
  if (party) return party;
  throw createError('not_available', 'Passkeys require an https URL with a domain name.');
}

async function getRow(transaction: Transaction<Database>, userId: string, id: string): Promise<PasskeysTable> {
  const rows = transaction.selectFrom('passkeys').selectAll().where('id', '=', id).where('user_id', '=', userId);
  const row = await rows.executeTakeFirst();
  if (row) return row;
  throw createError('not_found', 'You have no passkey with this ID.');
}

function nameByBrowser(userAgent: string): string {
  const { program, system } = describeUserAgent(userAgent) ?? {};
  if (program === undefined) return 'Passkey';
  return system === undefined ? program : `${program} on ${system}`;
}

function toPasskey(row: PasskeysTable): Passkey {
  return {
    id: row.id,
    name: row.name,
    credential_id: row.credential_id,
    is_synced: row.is_synced === 1,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
  };
}
