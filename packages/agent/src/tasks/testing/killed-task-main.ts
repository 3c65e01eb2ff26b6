import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { createAgent } from '../../compose/define-agent.ts';
import { testAuth } from '../../testing/test-auth.ts';
import { isTwoInstances, sharedDatabaseOf } from '../../testing/two-instances.ts';

// An agent with a task whose turn never ends, to be killed. Argument: its data folder. Prints the task's id once the turn has begun.
const [dataFolder = ''] = process.argv.slice(2);
const agent = createAgent(
  {
    name: 'test-agent',
    auth: testAuth(),
    dataFolder,
    ...(isTwoInstances && { databaseUrl: await sharedDatabaseOf(dataFolder) }),
    async *handler({ signal }) {
      yield 'Half of ';
      process.stdout.write(`${id}\n`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  },
  {
    environment: {},
    workingFolder: dataFolder,
    clock: createSystemClock(),
    ids: createIdSource(),
    logger: createSilentLogger(),
    onEndSignal: () => () => {},
  },
);
const report = agent.task('report', {}, async (_input, { run }) => (await (await run({ message: 'Go' })).result).text);
await agent.listen({ port: 0, host: '127.0.0.1' });
const { id } = await report.enqueue(undefined, { user: { id: 'alice' }, delayMs: 200 });
