import { createSqlStores, openAgentSqlite } from '@berth/agent-store/sql';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { turnMessages } from '../../turns/turn-messages.ts';
import { createRunEngine } from '../create-run-engine.ts';
import { turn } from './run-fixture.ts';

// An instance of an agent that counts until it is killed. Arguments: the folder of the database.
const logger = createSilentLogger();
const stores = createSqlStores(await openAgentSqlite(process.argv[2] as string, logger));
const clock = createSystemClock();
const engine = createRunEngine({
  store: stores.runs,
  clock,
  ids: createIdSource(),
  logger,
  instance: 'killed',
  finish: turnMessages,
});
await engine.start(
  turn(
    async ({ emit }) => {
      for (let count = 1; ; count++) {
        emit({ type: 'text', text: `${count} ` });
        await clock.sleep(10);
      }
    },
    { isDetached: true },
  ),
);
