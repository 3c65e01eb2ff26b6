import { defineTool, type HandlerContext } from '@berth/agent-core';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { z } from 'zod';
import { createAgent } from '../compose/define-agent.ts';
import { scripted } from '../models/scripted.ts';
import { testAuth } from './test-auth.ts';
import { isTwoInstances, sharedDatabaseOf } from './two-instances.ts';

/**
 * An agent in a process of its own, to be killed: `node agent-process.ts FOLDER [AHEAD_MS]` prints its address. Its turns say a
 * number every 20 ms and never end; its clock may be ahead. With `model` as the third argument its loop calls a tool, then says
 * words every 20 ms.
 */
const [dataFolder = '', aheadMs = '0', kind = 'handler'] = process.argv.slice(2);
const clock = createSystemClock();

const note = defineTool({ name: 'note', description: 'Notes.', input: z.object({}), run: () => 'noted' });

const agent = createAgent(
  {
    // As the agents of `openTestAgent`, which continue with its data.
    name: 'test-agent',
    workspaces: 'member',
    auth: testAuth(),
    dataFolder,
    ...(isTwoInstances && { databaseUrl: await sharedDatabaseOf(dataFolder) }),
    ...(kind === 'model' ? { model: countingModel(), tools: [note] } : { handler: count }),
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

/** Counts until it is stopped. */
async function* count({ signal }: HandlerContext) {
  yield { type: 'step', id: 's1', step: 'Count' } as const;
  for (let number = 0; !signal.aborted; number++) {
    yield `${number} `;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Calls the tool, then counts to 500. */
function countingModel() {
  const words = Array.from({ length: 500 }, (_, index) => `${index} `).join('');
  return scripted([{ calls: [{ tool: 'note', args: {} }] }, words], { delayMs: 20 });
}
