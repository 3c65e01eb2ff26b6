import path from 'node:path';
import type { Logger } from '@berth/kit';
import type { AgentDatabase } from './agent-database.ts';
import { openAgentPostgres } from './open-agent-postgres.ts';
import { openAgentSqlite } from './open-agent-sqlite.ts';

/** Where an agent's database is. */
export interface AgentDatabasePlace {
  /** Absolute path; SQLite is in `.db` of it. */
  readonly dataFolder: string;
  /** Of a Postgres; undefined for SQLite. */
  readonly url: string | undefined;
}

/**
 * Opens the database of an agent and brings its schema up to date.
 * @throws `unavailable` saying why it can't be used.
 */
export function openAgentDatabase({
  place,
  logger,
}: {
  readonly place: AgentDatabasePlace | 'memory';
  readonly logger: Logger;
}): Promise<AgentDatabase> {
  if (place === 'memory') return openAgentSqlite(':memory:', logger);
  if (place.url) return openAgentPostgres(place.url, logger);
  return openAgentSqlite(path.join(place.dataFolder, '.db'), logger);
}
