import type { Kysely } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import { endOfPrefix, ownerKeyPrefix, parseOwnerKey } from '../ports/owner-key.ts';
import type { StoredPerson, Tenant } from '../ports/workspace-store.ts';

/** Returns all users of a tenant. Users from before the agent had teams are found by their chats. */
export async function listPeople(db: Kysely<AgentSchema>, tenant: Tenant): Promise<readonly StoredPerson[]> {
  const met = await db
    .selectFrom('workspace_people')
    .select(['user_id as userId', 'met_at as metAtMs'])
    .where('tenant', '=', tenant)
    .execute();
  const prefix = ownerKeyPrefix(tenant);
  const chatting = await db
    .selectFrom('chats')
    .select((eb) => ['owner', eb.fn.min('created_at').as('metAtMs')])
    .where('owner', '>=', prefix)
    .where('owner', '<', endOfPrefix(prefix))
    .groupBy('owner')
    .execute();
  const firstMs = new Map(met.map(({ userId, metAtMs }) => [userId, metAtMs]));
  for (const { owner, metAtMs } of chatting) {
    const person = parseOwnerKey(owner);
    if (person) firstMs.set(person.id, Math.min(metAtMs, firstMs.get(person.id) ?? metAtMs));
  }
  return [...firstMs]
    .map(([userId, metAtMs]) => ({ userId, metAtMs }))
    .sort((one, other) => (one.userId < other.userId ? -1 : 1));
}
