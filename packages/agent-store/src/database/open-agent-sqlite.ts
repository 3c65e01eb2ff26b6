import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from '@berth/kit';
import { openSqlite } from '@berth/sqlite';
import type { AgentDatabase } from './agent-database.ts';
import { unusableFolder } from './claim-data-folder.ts';
import { createSqliteLocks } from './create-sqlite-locks.ts';
import { agentMigrations } from './migrations.ts';
import { queueLocks } from './queue-locks.ts';
import { refuseNetworkFileSystem } from './refuse-network-file-system.ts';
import type { AgentSchema } from './schema.ts';

/**
 * Opens `<folder>/agent.sqlite`, creating the folder and the file when missing. `:memory:` opens a database that lives
 * until it is closed.
 * @throws `unavailable` when the folder is on a network file system, or the file can't be used.
 */
export async function openAgentSqlite(folder: string, logger: Logger): Promise<AgentDatabase> {
  const isInMemory = folder === ':memory:';
  if (!isInMemory) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw unusableFolder(folder, error);
    }
    refuseNetworkFileSystem(folder);
  }
  const file = isInMemory ? folder : path.join(folder, 'agent.sqlite');
  const { db, onCommit, close } = await openSqlite<AgentSchema>({
    file,
    migrations: agentMigrations('sqlite'),
    logger,
  });
  const locks = isInMemory ? queueLocks() : createSqliteLocks(path.join(folder, 'locks'));
  return { db, dialect: 'sqlite', onCommit, locks, ...(!isInMemory && { heartbeatPlace: { file } }), close };
}
