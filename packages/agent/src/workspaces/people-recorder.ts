import type { Caller } from '@berth/agent-core';
import type { WorkspaceStore } from '@berth/agent-store';
import { GENERAL_ID } from '@berth/contract/agent';
import { type Clock, describeError, type Logger } from '@berth/kit';

/** The size of the cache of stored people. The cache is cleared when it is full. */
const REMEMBERED = 10_000;

/** Stores each person on their first request, and again when their name or e-mail address has changed. */
export type PeopleRecorder = ReturnType<typeof createPeopleRecorder>;

/** Creates a recorder that asks the store once per person and process. */
export function createPeopleRecorder({
  store,
  clock,
  logger,
}: {
  readonly store: WorkspaceStore;
  readonly clock: Clock;
  readonly logger: Logger;
}) {
  const known = new Set<string>();
  return {
    /**
     * Stores the person, and creates General for the first person of an organization unless it ever existed. Never rejects.
     */
    async record({ id, orgId, name, email }: Caller): Promise<void> {
      const key = JSON.stringify([orgId, id, name, email]);
      if (known.has(key)) return;
      try {
        const nowMs = clock.nowMs();
        const profile = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
        await store.meet(orgId ?? '', { userId: id, ...profile }, nowMs);
        const general = { id: GENERAL_ID, name: 'General', icon: null, createdAtMs: nowMs, createdBy: null };
        if (orgId !== undefined) await store.add(orgId, general);
        if (known.size >= REMEMBERED) known.clear();
        known.add(key);
      } catch (error) {
        // A full disk must not keep people from reading their data.
        logger.warn({ userId: id, error: describeError(error) }, 'a new person could not be recorded');
      }
    },
  };
}
