import type { Caller } from '@berth/agent-core';
import type { WorkspaceStore } from '@berth/agent-store';
import { GENERAL_ID } from '@berth/contract/agent';
import { type Clock, describeError, type Logger } from '@berth/kit';

/** Writes down who is here for the first time. */
export interface PeopleRecorder {
  /** Makes General with the first person of an organisation, unless it ever was there. Never fails. */
  record(user: Caller): Promise<void>;
}

/** People that are known not to be new; asked anew after that many. */
const REMEMBERED = 10_000;

export function createPeopleRecorder({
  store,
  clock,
  logger,
}: {
  readonly store: WorkspaceStore;
  readonly clock: Clock;
  readonly logger: Logger;
}): PeopleRecorder {
  const known = new Set<string>();
  return {
    async record({ id, orgId }) {
      const key = JSON.stringify([orgId, id]);
      if (known.has(key)) return;
      try {
        const nowMs = clock.nowMs();
        await store.meet(orgId ?? '', id, nowMs);
        const general = { id: GENERAL_ID, name: 'General', icon: null, createdAtMs: nowMs, createdBy: null };
        if (orgId !== undefined) await store.add(orgId, general);
        if (known.size >= REMEMBERED) known.clear();
        known.add(key);
      } catch (error) {
        // A full disk must not keep people from reading what they have.
        logger.warn({ userId: id, error: describeError(error) }, 'a new person could not be written down');
      }
    },
  };
}
