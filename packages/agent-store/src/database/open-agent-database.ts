import path from 'node:path';
import type { Logger } from '@berth/kit';
import type { AgentDatabase } from './agent-database.ts';
import type { AgentIdentity } from './agent-identity.ts';
import { openAgentPostgres } from './open-agent-postgres.ts';
import { openAgentSqlite } from './open-agent-sqlite.ts';

/** The location of an agent's database. */
export interface AgentDatabasePlace {
  /** Absolute path; SQLite is stored in its `.db` subfolder. */
  readonly dataFolder: string;
  /** URL of a Postgres database; undefined for SQLite. */
  readonly url: string | undefined;
  /** The agent that the data belongs to. */
  readonly agent: AgentIdentity;
}

/**
 * Opens the database of an agent and migrates its schema.
 * @throws `conflict` when it belongs to another agent; `unavailable` with the reason why it can't be used.
 */
export function openAgentDatabase({
  place,
  logger,
}: {
  readonly place: AgentDatabasePlace | 'memory';
  readonly logger: Logger;
}): Promise<AgentDatabase> {
  if (place === 'memory') return openAgentSqlite(':memory:', logger);
  if (place.url) return openAgentPostgres({ url: place.url, agent: place.agent, logger });
  return openAgentSqlite(path.join(place.dataFolder, '.db'), logger);
}
