import type { Logger } from '@berth/kit';
import { type OpenPostgres, openPostgres } from '@berth/postgres';
import { LOG_MIGRATIONS } from './log-migrations.ts';
import type { LogDatabase } from './log-schema.ts';

/** Postgres schema of the logs, beside the platform's or in a database of its own. */
const SCHEMA = 'berth_logs';

/** Options of {@link openLogDatabase}. */
export interface OpenLogDatabaseOptions {
  readonly url: string;
  /** Postgres schema of the tables; `berth_logs` by default. */
  readonly schema?: string;
  readonly logger?: Logger;
}

/**
 * Opens or creates the tables of logs that several servers share. Transactions see what others have committed and lock
 * what they depend on: appends to one log take turns instead of failing.
 * @throws `unavailable` when the database can't be used or was written by a newer Berth.
 */
export function openLogDatabase({
  url,
  schema = SCHEMA,
  logger,
}: OpenLogDatabaseOptions): Promise<OpenPostgres<LogDatabase>> {
  const options = { url, schema, migrations: LOG_MIGRATIONS, isolation: 'read committed' as const };
  return openPostgres<LogDatabase>({ ...options, ...(logger ? { logger } : {}) });
}
