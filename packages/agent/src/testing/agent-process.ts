import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { createAgent } from '../compose/define-agent.ts';
import { testAuth } from './test-auth.ts';
import { isTwoInstances, sharedDatabaseOf } from './two-instances.ts';

/**
 * An agent in a process of its own, to be killed: `node agent-process.ts FOLDER [AHEAD_MS]` prints its address. Its turns say a
 * number every 20 ms and never end; its clock may be ahead.
 */
const [dataFolder = '', aheadMs = '0'] = process.argv.slice(2);
const clock = createSystemClock();

const agent = createAgent(
  {
    // As the agents of `openTestAgent`, which continue with its data.
    name: 'test-agent',
    workspaces: 'member',
    auth: testAuth(),
    dataFolder,
    ...(isTwoInstances && { databaseUrl: await sharedDatabaseOf(dataFolder) }),
    async *handler({ signal }) {
      yield { type: 'step', id: 's1', step: 'Count' };
      for (let number = 0; !signal.aborted; number++) {
        yield `${number} `;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  },
  {
    environment: {},
    workingFolder: dataFolder,
    clock: { ...clock, nowMs: () => clock.nowMs() + Number(aheadMs) },
    ids: createIdSource(),
    logger: createSilentLogger(),
    onEndSignal: () => () => {},
  },
);
const { url } = await agent.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${url}\n`);
