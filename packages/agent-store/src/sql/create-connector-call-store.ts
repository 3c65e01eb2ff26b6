import { sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { ConnectorCallStore } from '../ports/connector-call-store.ts';

/** Creates the store of call counters: one row per owner and connector, updated in one statement. */
export function createConnectorCallStore({ db }: AgentDatabase): ConnectorCallStore {
  return {
    async count(owner, connector, { calls, nowMs, windowMs }) {
      // The instances' clocks differ a little. A window that begins much later than now is from a clock that was set
      // back.
      const isOver = sql`connector_calls.began_at not between ${nowMs - windowMs + 1} and ${nowMs + windowMs - 1}`;
      const row = await db
        .insertInto('connector_calls')
        .values({ owner, connector, began_at: nowMs, calls })
        .onConflict((conflict) =>
          conflict.columns(['owner', 'connector']).doUpdateSet({
            began_at: sql<number>`case when ${isOver} then ${nowMs} else connector_calls.began_at end`,
            calls: sql<number>`case when ${isOver} then ${calls} else connector_calls.calls + ${calls} end`,
          }),
        )
        .returning(['began_at', 'calls'])
        .executeTakeFirstOrThrow();
      return { beganAtMs: row.began_at, calls: row.calls };
    },
  };
}
