import { defineAgent, defineTool, scripted, z } from '@berth/agent';
import { openSpan } from '@berth/agent-core';
import { openTestSdk } from '@berth/agent-core/testing';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { quantile } from '../statistics.ts';

const SPANS = 2_000_000;
const TURNS = 400;
const WARM_UP = 1_000;
/** A turn, two steps with an answer each, and a tool. */
const SPANS_A_TURN = 6;

/** What tracing costs a turn that calls a tool: while it is off, and while an SDK records it in memory. */
export async function measureAgentTracing({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const scale = isTenth ? 10 : 1;
  const offUs = spanUs(SPANS / scale);
  say(`a span while tracing is off: ${offUs.toFixed(4)} µs`);
  const off = await turnMs(TURNS / scale);
  say(`a turn, off: ${off.toFixed(3)} ms`);
  const on = await recordedTurnMs(TURNS / scale);
  say(`a turn, recorded: ${on.toFixed(3)} ms`);
  return {
    figures: [
      figure('a span while tracing is off', offUs, 'µs', { target: 1 }),
      figure('of a turn that calls a tool, off', (100 * SPANS_A_TURN * offUs) / 1_000 / off, '%', { target: 1 }),
      figure('a turn that calls a tool, off: p50', off, 'ms'),
      figure('the same turn, recorded in memory: p50', on, 'ms'),
    ],
    notes: ['The turn is one of an agent in this process, without sign-in, and its model answers at once.'],
  };
}

/** Returns the time of opening a span without an SDK, as the loop does for each call of a tool. */
function spanUs(count: number): number {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'add' };
  let opened = 0;
  const startMs = performance.now();
  for (let index = 0; index < count; index++) if (openSpan('execute_tool add', { attributes })) opened++;
  if (opened > 0) throw new Error('an SDK is registered');
  return ((performance.now() - startMs) * 1_000) / count;
}

async function recordedTurnMs(count: number): Promise<number> {
  await using sdk = openTestSdk();
  const ms = await turnMs(count);
  if (sdk.spans().length < count * SPANS_A_TURN) throw new Error('turns were not recorded');
  return ms;
}

async function turnMs(count: number): Promise<number> {
  const add = defineTool({
    name: 'add',
    description: 'Adds two numbers.',
    risk: 'read',
    input: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => a + b,
  });
  const model = scripted(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'It is 5.' : { calls: [{ tool: 'add', args: { a: 2, b: 3 } }] },
  );
  const agent = defineAgent({ name: 'traced', model, tools: [add] });
  const body = JSON.stringify({ messages: [{ role: 'user', content: '2 + 3?' }] });
  const times: number[] = [];
  for (let turn = -WARM_UP; turn < count; turn++) {
    const startMs = performance.now();
    const headers = { 'Content-Type': 'application/json' };
    const answer = await agent.fetch(new Request('http://agent.test/chat', { method: 'POST', headers, body }));
    if (!(await answer.text()).includes('[DONE]')) throw new Error('a turn failed');
    if (turn >= 0) times.push(performance.now() - startMs);
  }
  await agent.close({ drainMs: 0 });
  return quantile(times, 0.5);
}
