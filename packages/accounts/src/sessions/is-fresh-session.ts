import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';

/** How long after a sign-in a person may add ways to sign in without proving who they are again. */
const FRESH_MS = 15 * 60_000;

/** Returns whether a session began recently: only then may it add a way to sign in, which would outlive it. */
export async function isFreshSession(
  sessionId: string | undefined,
  { db, clock }: { readonly db: Kysely<Database>; readonly clock: Clock },
): Promise<boolean> {
  if (sessionId === undefined) return false;
  const sessions = db.selectFrom('auth_sessions').select('created_at').where('id', '=', sessionId);
  const session = await sessions.executeTakeFirst();
  return session !== undefined && clock.nowMs() - session.created_at < FRESH_MS;
}
