import { randomBytes } from 'node:crypto';
import { createError, type SessionRow } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Clock, IdSource } from '@berth/kit';
import type { Kysely, Transaction } from 'kysely';
import { SESSION_SECONDS } from './create-auth.ts';
import { hashSecret } from './key-secret.ts';

/** Where a session begins. */
export interface SessionPlace {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

/** The sessions of people; sign-in with a password makes its own. */
export interface Sessions {
  /** Begins a session and answers its token, which is stored as a hash only. */
  create(userId: string, place: SessionPlace, transaction?: Transaction<Database>): Promise<string>;
  /** A person's sessions that are good now, the one used last first. */
  list(userId: string, currentId: string | undefined): Promise<readonly SessionRow[]>;
  /** @throws `not_found` for a session that isn't this person's. */
  end(userId: string, sessionId: string): Promise<void>;
  /** Ends all but `currentId`; answers how many. */
  endOthers(userId: string, currentId: string | undefined): Promise<number>;
}

/** What sessions are made of. */
export interface CreateSessionsOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
}

export function createSessions({ db, clock, ids }: CreateSessionsOptions): Sessions {
  return {
    async create(userId, { address, userAgent }, transaction) {
      const token = randomBytes(32).toString('base64url');
      const nowMs = clock.nowMs();
      await (transaction ?? db)
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
          last_used_at: null,
        })
        .execute();
      return token;
    },
    async list(userId, currentId) {
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
    async end(userId, sessionId) {
      const { numDeletedRows } = await db
        .deleteFrom('auth_sessions')
        .where('id', '=', sessionId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw createError('not_found', 'You have no session of that id.');
    },
    async endOthers(userId, currentId) {
      let query = db.deleteFrom('auth_sessions').where('user_id', '=', userId);
      if (currentId !== undefined) query = query.where('id', '!=', currentId);
      return Number((await query.executeTakeFirst()).numDeletedRows);
    },
  };
}
