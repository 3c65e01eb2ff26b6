export type { AgentIdentity } from '../database/agent-identity.ts';
export { claimDataFolder } from '../database/claim-data-folder.ts';
export { openAgentDatabase } from '../database/open-agent-database.ts';
export { openAgentSqlite } from '../database/open-agent-sqlite.ts';
export { createSqlStores } from './create-sql-stores.ts';
