import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { createAgent } from '../../compose/define-agent.ts';
import { testAuth } from '../../testing/test-auth.ts';

// An agent with a task whose handler blocks the thread, from the file `blocked` until the file `go`. Argument: its data folder.
const [dataFolder = ''] = process.argv.slice(2);
const agent = createAgent(
  { name: 'helper', auth: testAuth(), dataFolder, async *handler() {} },
  {
    environment: {},
    workingFolder: dataFolder,
    clock: createSystemClock(),
    ids: createIdSource(),
    logger: createSilentLogger(),
    onEndSignal: () => () => {},
  },
);
const block = agent.task('block', {}, async () => {
  writeFileSync(path.join(dataFolder, 'blocked'), '');
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(path.join(dataFolder, 'go'))) Atomics.wait(cell, 0, 0, 10);
  return 'done';
});
await agent.listen({ port: 0, host: '127.0.0.1' });
await block.enqueue(undefined);
