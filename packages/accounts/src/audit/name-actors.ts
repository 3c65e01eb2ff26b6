import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** The actor of an audit record. */
export interface AuditActor {
  readonly kind: 'key' | 'session' | 'system';
  /** Key id or user id; null for the platform itself. */
  readonly id: string | null;
}

/** The name of a key or person. */
export interface ActorName {
  /** Null for the platform and for actors without a record. */
  readonly name: string | null;
  /** Set for a key that was deleted and whose name is still known. */
  readonly is_deleted?: true;
}

/** Returns the name of an actor. */
export type NameOfActor = (actor: AuditActor) => ActorName;

/** Looks up the names of an account's actors, with two queries however many there are. */
export async function nameActors(
  db: Kysely<Database>,
  account: AccountId,
  actors: readonly AuditActor[],
): Promise<NameOfActor> {
  const idsOf = (kind: AuditActor['kind']) => [
    ...new Set(actors.flatMap((actor) => (actor.kind === kind && actor.id !== null ? [actor.id] : []))),
  ];
  const names = new Map<string, ActorName>();
  const keyIds = idsOf('key');
  const userIds = idsOf('session');
  // Postgres rejects an empty list.
  if (keyIds.length > 0) {
    const keys = db.selectFrom('api_keys').select(['id', 'name', 'revoked_at']).where('account_id', '=', account);
    for (const { id, name, revoked_at } of await keys.where('id', 'in', keyIds).execute()) {
      names.set(`key ${id}`, revoked_at === null ? { name } : { name, is_deleted: true });
    }
  }
  if (userIds.length > 0) {
    const users = db.selectFrom('auth_users').select(['id', 'name']);
    for (const { id, name } of await users.where('id', 'in', userIds).execute()) names.set(`session ${id}`, { name });
  }
  return ({ kind, id }) => names.get(`${kind} ${id}`) ?? { name: null };
}
