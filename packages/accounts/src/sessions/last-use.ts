import type { Database } from '@berth/database';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { Kysely } from 'kysely';

/** `last_used_at` is at most this much behind: a write a minute and credential, however many requests it makes. */
const RESOLUTION_MS = 60_000;

/** A row that holds a credential. */
export interface UsedCredential {
  readonly table: 'api_keys' | 'auth_sessions';
  readonly id: string;
  /** What the database says. */
  readonly lastUsedAtMs: number | null;
}

/** Notes when keys and sessions are used, beside the requests and not in them. */
export interface LastUse {
  /** Call it at each use. */
  note(credential: UsedCredential): void;
}

/** What the notes need. */
export interface CreateLastUseOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createLastUse({ db, clock, logger }: CreateLastUseOptions): LastUse {
  // Requests that come before the write is done would each start another one.
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
