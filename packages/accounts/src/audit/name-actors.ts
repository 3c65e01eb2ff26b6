import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** The actor of an audit record. */
export interface AuditActor {
  readonly kind: 'key' | 'session' | 'system';
  /** Key id or user id; null for the platform itself. */
  readonly id: string | null;
}

/** Returns the name of a key or person; null for the platform and for deleted actors. */
export type NameOfActor = (actor: AuditActor) => string | null;

/** Looks up the names of an account's actors, with two queries however many there are. */
export async function nameActors(
  db: Kysely<Database>,
  account: AccountId,
  actors: readonly AuditActor[],
): Promise<NameOfActor> {
  const idsOf = (kind: AuditActor['kind']) => [
    ...new Set(actors.flatMap((actor) => (actor.kind === kind && actor.id !== null ? [actor.id] : []))),
  ];
  const names = new Map<string, string>();
  const keyIds = idsOf('key');
  const userIds = idsOf('session');
  // Postgres rejects an empty list.
  if (keyIds.length > 0) {
    const keys = db.selectFrom('api_keys').select(['id', 'name']).where('account_id', '=', account);
    for (const { id, name } of await keys.where('id', 'in', keyIds).execute()) names.set(`key ${id}`, name);
  }
  if (userIds.length > 0) {
    const users = db.selectFrom('auth_users').select(['id', 'name']);
    for (const { id, name } of await users.where('id', 'in', userIds).execute()) names.set(`session ${id}`, name);
  }
  return ({ kind, id }) => names.get(`${kind} ${id}`) ?? null;
}
