import type { Database } from '@berth/database';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { Kysely } from 'kysely';

/** `last_used_at` is at most this much behind: a write a minute and key, however many requests it makes. */
const RESOLUTION_MS = 60_000;

/** Notes when keys are used, beside the requests and not in them. */
export interface KeyUsage {
  /** Call it at each use; `lastUsedAtMs` is what the database says. */
  note(keyId: string, lastUsedAtMs: number | null): void;
}

/** What the notes need. */
export interface CreateKeyUsageOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createKeyUsage({ db, clock, logger }: CreateKeyUsageOptions): KeyUsage {
  // Requests that come before the write is done would each start another one.
  const writing = new Set<string>();
  return {
    note(keyId, lastUsedAtMs) {
      const nowMs = clock.nowMs();
      if (writing.has(keyId) || (lastUsedAtMs !== null && nowMs - lastUsedAtMs < RESOLUTION_MS)) return;
      writing.add(keyId);
      const write = db
        .updateTable('api_keys')
        .set({ last_used_at: nowMs })
        .where('id', '=', keyId)
        .execute()
        .finally(() => writing.delete(keyId));
      runInBackground('key usage', write, logger);
    },
  };
}
