import { createSilentLogger } from '@berth/kit';
import { describeAppDataStore } from '../contract/describe-app-data-store.ts';
import { createAppDataStore } from './create-app-data-store.ts';
import { openAgentSqlite } from './open-agent-sqlite.ts';

describeAppDataStore(async () => {
  const database = await openAgentSqlite(':memory:', createSilentLogger());
  return { store: createAppDataStore(database), close: database.close };
});
