import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from '@berth/kit';
import { openSqlite } from '@berth/sqlite';
import type { AgentDatabase } from './agent-database.ts';
import { agentMigrations } from './migrations.ts';
import { refuseNetworkFileSystem } from './refuse-network-file-system.ts';
import type { AgentSchema } from './schema.ts';

/**
 * Opens `<folder>/agent.sqlite`, both made when missing; `:memory:` for a database that lives with its handle.
 * @throws `unavailable` when the folder is on a network file system, or the file can't be used.
 */
export async function openAgentSqlite(folder: string, logger: Logger): Promise<AgentDatabase> {
  const isInMemory = folder === ':memory:';
  if (!isInMemory) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    refuseNetworkFileSystem(folder);
  }
  const file = isInMemory ? folder : path.join(folder, 'agent.sqlite');
  const { db, close } = await openSqlite<AgentSchema>({ file, migrations: agentMigrations('sqlite'), logger });
  return { db, dialect: 'sqlite', close };
}
