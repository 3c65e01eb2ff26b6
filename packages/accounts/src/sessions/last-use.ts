import type { Database } from '@berth/database';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { Kysely } from 'kysely';

/** How far `last_used_at` may lag: each credential causes one write a minute, however many requests it makes. */
const RESOLUTION_MS = 60_000;

/** The row of a credential that was used. */
export interface UsedCredential {
  readonly table: 'api_keys' | 'auth_sessions';
  readonly id: string;
  /** As read from the database. */
  readonly lastUsedAtMs: number | null;
}

/** Records when keys and sessions were last used, in the background of requests. */
export interface LastUse {
  /** Call it at each use. */
  note(credential: UsedCredential): void;
}

/** Options of {@link createLastUse}. */
export interface CreateLastUseOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createLastUse({ db, clock, logger }: CreateLastUseOptions): LastUse {
  // Without this set, requests that arrive during the write would each start another one.
  const writing = new Set<string>();
  return {
    note({ table, id, lastUsedAtMs }) {
      const nowMs = clock.nowMs();
      if (writing.has(id) || (lastUsedAtMs !== null && nowMs - lastUsedAtMs < RESOLUTION_MS)) return;
      writing.add(id);
      const write = db
        .updateTable(table)
        .set({ last_used_at: nowMs })
        .where('id', '=', id)
        .execute()
        .finally(() => writing.delete(id));
      runInBackground('use of a credential', write, logger);
    },
  };
}
