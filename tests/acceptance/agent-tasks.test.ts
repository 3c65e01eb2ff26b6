import { expect, it } from 'vitest';
import { agentToken, callerOf, readAgentExample } from '../harness/agents.ts';
import { deployed } from '../harness/deploy.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const NAME = 'agent-tasks';
const berth = useBerth();

/** An agent whose tasks return the revision that ran them; `long` waits until a request says `go`. */
const AGENT = `
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { berth, defineAgent } from '@berth/agent';

const agent = defineAgent({ name: 'worker', auth: berth(), async *handler() { yield 'Hello.'; } });
const GO = '/data/go';
const long = agent.task('long', {}, async () => {
  while (!existsSync(GO)) await setTimeout(50);
  return process.env.K_REVISION;
});
const short = agent.task('short', {}, async () => process.env.K_REVISION);
agent.routes.post('/long', async (c) => c.json(await long.enqueue(undefined)));
agent.routes.post('/short/:delayMs', async (c) => c.json(await short.enqueue(undefined, { delayMs: Number(c.req.param('delayMs')) })));
agent.routes.post('/go', (c) => { writeFileSync(GO, ''); return c.json({}); });
agent.routes.get('/task/:id', async (c) => c.json(await agent.tasks.get(c.req.param('id'))));
await agent.listen();
`;

// Fails when the gateway doesn't tell the replaced instance, or the agent claims tasks nevertheless: it looks for them every second.
it('after a deploy the old revision finishes its task, and the new one runs the others', async () => {
  const files = { ...(await readAgentExample('agent-echo')), 'agent.ts': AGENT };
  const fields = { volumes: JSON.stringify({ '/data': NAME }) };
  const deploy = () => deployed(berth, NAME, { files, fields });
  await deploy();
  const ada = callerOf(berth, NAME, await agentToken(berth, NAME));
  type Task = { readonly id: string; readonly status: string; readonly result?: string };
  const post = async (path: string) => (await ada.call('POST', path)).json<Task>();
  const read = async ({ id }: Task) => (await ada.call('GET', `/task/${id}`)).json<Task>();
  const long = await post('/long');
  await waitFor('the old revision runs it', async () => (await read(long)).status === 'running');
  await deploy();
  const others = await Promise.all(Array.from({ length: 12 }, (_, index) => post(`/short/${1_000 + index * 300}`)));
  const results = await waitFor('the others have ended', async () => {
    const tasks = await Promise.all(others.map(read));
    return tasks.every(({ status }) => status === 'succeeded') && tasks.map(({ result }) => result);
  });
  expect(new Set(results)).toEqual(new Set([expect.stringContaining('-00002-')]));
  await post('/go');
  const done = await waitFor('the old revision ends it', async () => {
    const task = await read(long);
    return task.status === 'succeeded' && task;
  });
  expect(done.result).toContain('-00001-');
}, 180_000);
