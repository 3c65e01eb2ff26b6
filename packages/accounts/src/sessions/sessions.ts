import { createError, type SessionRow } from '@berth/contract';
import type { Database } from '@berth/database';
import { type Clock, type IdSource, type Logger, runInBackground } from '@berth/kit';
import type { Kysely, Transaction } from 'kysely';
import { createSecret, hashSecret } from '../secrets/secrets.ts';
import type { SessionPlace } from './session-place.ts';
import type { SignInNotices } from './sign-in-notices.ts';

/** The longest life of a session that is not refreshed. Source: docs/contract/control-plane.md §8. */
export const SESSION_SECONDS = 24 * 60 * 60;

/** A session older than this gets its whole life back when it is asked for. */
const REFRESH_AFTER_MS = 60 * 60 * 1_000;

/** An expired session is kept this long, so that its token is refused with the reason. */
const KEEP_EXPIRED_MS = 7 * 24 * 60 * 60 * 1_000;

/** How long after a sign-in a person may add ways to sign in without proving who they are again. */
const FRESH_MS = 15 * 60_000;

/** The person of a session. */
export interface SessionUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** A session that began a moment ago, with its token, which can't be read back. */
export interface NewSession {
  readonly token: string;
  readonly user: SessionUser;
}

/** A session that has not expired. */
export interface FoundSession {
  /** Epoch milliseconds, wall clock. */
  readonly expiresAtMs: number;
  readonly user: SessionUser;
}

/** The sessions of people. Tokens are stored as hashes. */
export type Sessions = ReturnType<typeof createSessions>;

export interface CreateSessionsOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Undefined when the server sends no mail. */
  readonly signInNotices?: SignInNotices | undefined;
}

export function createSessions({ db, clock, ids, logger, signInNotices }: CreateSessionsOptions) {
  const find = async (token: string): Promise<FoundSession | undefined> => {
    const row = await db
      .selectFrom('auth_sessions as session')
      .innerJoin('auth_users as user', 'user.id', 'session.user_id')
      .select(['session.expires_at', 'user.id', 'user.name', 'user.email'])
      .where('session.token', '=', hashSecret(token))
      .where('session.expires_at', '>', clock.nowMs())
      .executeTakeFirst();
    if (!row) return undefined;
    const { expires_at: expiresAtMs, ...user } = row;
    return { expiresAtMs, user };
  };
  const deleteExpired = () =>
    db
      .deleteFrom('auth_sessions')
      .where('expires_at', '<', clock.nowMs() - KEEP_EXPIRED_MS)
      .execute();
  const sessions = {
    /** Begins a session and returns its token. */
    async create(userId: string, place: SessionPlace, transaction?: Transaction<Database>): Promise<string> {
      if (!transaction) return db.transaction().execute((own) => sessions.create(userId, place, own));
      const { address, userAgent, language } = place;
      const token = createSecret();
      const nowMs = clock.nowMs();
      await transaction
        .insertInto('auth_sessions')
        .values({
          id: ids.next('ses'),
          user_id: userId,
          token: hashSecret(token),
          expires_at: nowMs + SESSION_SECONDS * 1_000,
          ip_address: address ?? null,
          user_agent: userAgent ?? null,
          created_at: nowMs,
          updated_at: nowMs,
        })
        .execute();
      if (language) await transaction.updateTable('auth_users').set({ language }).where('id', '=', userId).execute();
      await signInNotices?.note({ userId, place }, transaction);
      runInBackground('forget expired sessions', deleteExpired(), logger);
      return token;
    },
    /** The session of a token; undefined for an unknown or expired one. */
    find,
    /** As `find`; a session older than an hour then lives {@link SESSION_SECONDS} from now. */
    async refresh(token: string): Promise<FoundSession | undefined> {
      const session = await find(token);
      const nowMs = clock.nowMs();
      const expiresAtMs = nowMs + SESSION_SECONDS * 1_000;
      if (!session || expiresAtMs - session.expiresAtMs < REFRESH_AFTER_MS) return session;
      await db
        .updateTable('auth_sessions')
        .set({ expires_at: expiresAtMs, updated_at: nowMs })
        .where('token', '=', hashSecret(token))
        .execute();
      return { ...session, expiresAtMs };
    },
    /** Returns whether a session began recently: only then may it add a way to sign in, which would outlive it. */
    async isFresh(sessionId: string): Promise<boolean> {
      const sessions = db.selectFrom('auth_sessions').select('created_at').where('id', '=', sessionId);
      const session = await sessions.executeTakeFirst();
      return session !== undefined && clock.nowMs() - session.created_at < FRESH_MS;
    },
    /** Ends the session of a token, if there is one. */
    async signOut(token: string): Promise<void> {
      await db.deleteFrom('auth_sessions').where('token', '=', hashSecret(token)).execute();
    },
    /** A person's sessions that have not expired, the one used last first. */
    async list(userId: string, currentId: string | undefined): Promise<readonly SessionRow[]> {
      const rows = await db
        .selectFrom('auth_sessions')
        .select(['id', 'ip_address', 'user_agent', 'created_at', 'last_used_at', 'expires_at'])
        .where('user_id', '=', userId)
        .where('expires_at', '>', clock.nowMs())
        .execute();
      const usedMs = (row: (typeof rows)[number]) => row.last_used_at ?? row.created_at;
      return rows
        .sort((a, b) => usedMs(b) - usedMs(a))
        .map((row) => ({
          id: row.id,
          is_current: row.id === currentId,
          address: row.ip_address,
          user_agent: row.user_agent,
          created_at: new Date(row.created_at).toISOString(),
          last_used_at: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
          expires_at: new Date(row.expires_at).toISOString(),
        }));
    },
    /** @throws `not_found` for a session that isn't this person's. */
    async end(userId: string, sessionId: string): Promise<void> {
      const { numDeletedRows } = await db
        .deleteFrom('auth_sessions')
        .where('id', '=', sessionId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw createError('not_found', 'You have no session with this ID.');
    },
    /** Ends all but `currentId`. Returns how many. */
    endOthers: (userId: string, currentId: string | undefined): Promise<number> =>
      db.transaction().execute((transaction) => endSessionsOf(userId, currentId, transaction)),
  };
  return sessions;
}

/**
 * Ends a person's sessions but `keptId`, and those that devices which they let in have not fetched yet. Returns the number of
 * sessions.
 */
export async function endSessionsOf(
  userId: string,
  keptId: string | undefined,
  transaction: Transaction<Database>,
): Promise<number> {
  await transaction.deleteFrom('device_grants').where('user_id', '=', userId).where('state', '=', 'approved').execute();
  let query = transaction.deleteFrom('auth_sessions').where('user_id', '=', userId);
  if (keptId !== undefined) query = query.where('id', '!=', keptId);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}
