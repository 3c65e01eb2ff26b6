import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineTool } from '@berth/agent-core';
import { type Clock, createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { subAgent } from '../loop/sub-agent.ts';
import { framesOf, openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import { scripted } from '../models/scripted.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';

const note = defineTool({
  name: 'note',
  description: 'Notes.',
  risk: 'read',
  input: z.object({}),
  run: () => 'noted',
});
const again = { calls: [{ tool: 'note', args: {} }] };
const HELLO = { messages: [{ role: 'user', content: 'hello' }] };
const BODY = { model: 'x', stream: false, ...HELLO };

/** Fails when a turn goes on after its budget, or sub-agents have one of their own. */
test('a turn ends before the call that its budget has no room for, and says so', async () => {
  const child = subAgent({ name: 'child', description: 'Works.', model: scripted(again), tools: [note] });
  const delegate = { calls: [{ tool: 'child', args: { task: 'go on and on' } }] };
  await using fixture = await openLoopAgent([delegate, 'Never.'], {
    tools: [child],
    budget: { perTurn: { tokens: 100 } },
  });
  const turn = await fixture.say('Go');
  const [callout] = framesOf(turn, 'callout');
  expect(callout).toMatchObject({
    style: 'error',
    callout: expect.stringMatching(/^This turn has used its budget of 100 tokens\. Reference [0-9a-f]{8}$/),
  });
  expect([turn.isDone, fixture.asked.length]).toEqual([true, 1]);
  const used = Number(fixture.usage[0]?.['input']) + Number(fixture.usage[0]?.['output']);
  expect(used).toBeGreaterThanOrEqual(100);
  const chat = await (await fixture.call('alice', 'GET', '/chats/c1')).json();
  expect(chat.messages.at(-1)).toMatchObject({ status: 'failed' });
});

/** Fails when one person pays for another, a message is stored that is not answered, or the count ends with the process. */
test("a person's month is counted over restarts, and starts again with the next one", async () => {
  // Holds the agent to the contract: verifies('turn.budget')
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-'));
  let nowMs = Date.UTC(2026, 10, 23);
  const clock: Clock = { ...createSystemClock(), nowMs: () => nowMs };
  const prices = { models: { scripted: { input: 100_000, output: 100_000 } } };
  const options = { dataFolder, clock, prices, budget: { perUser: { usd: 0.25 } } };
  try {
    {
      await using fixture = await openLoopAgent(['One.'], options);
      expect((await fixture.say('Go')).text).toBe('One.');
    }
    await using fixture = await openLoopAgent(['Two.'], options);
    const refused = await fixture.call('alice', 'POST', '/?id=c2', HELLO);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 8 * 24 * 60 * 60]);
    expect(await refused.json()).toEqual({
      detail: 'You have used your budget of $0.25 for November 2026. It resets on December 1, 2026.',
    });
    const completion = await fixture.call('alice', 'POST', '/chat/completions', BODY);
    expect([completion.status, (await completion.json()).error.type]).toEqual([429, 'rate_limit_error']);
    const run = fixture.agent.run({ user: { id: 'alice' }, message: 'Go' });
    await expect(run).rejects.toMatchObject({ code: 'too_many_requests' });
    expect((await fixture.call('alice', 'GET', '/chats/c2')).status).toBe(204);
    expect((await fixture.say('Go', {}, 'c1', 'bob')).text).toBe('Two.');
    nowMs += 8 * 24 * 60 * 60 * 1_000;
    expect((await fixture.say('Go', {}, 'c3')).text).toBe('Two.');
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
});

/** Fails when the month of all is counted for each, or says to strangers how large it is. */
test("everybody's month is one, for handlers of one's own too", async () => {
  await using fixture = await openTestAgent({
    budget: { perMonth: { tokens: 10 } },
    async *handler({ reportUsage, checkBudget }) {
      await checkBudget();
      reportUsage({ inputTokens: 6, outputTokens: Number.NaN });
      yield 'Done.';
    },
  });
  const ask = async (token: string) => (await fixture.call(token, 'POST', '/', HELLO)).text();
  expect(await ask('alice')).toContain('Done.');
  expect(await ask('bob')).toContain('Done.');
  expect(await ask('carol')).toMatch(/^\{"detail":"This agent has used its budget for \w+ \d{4}\. It resets on/);
});

test.each([
  ['another name', { perDay: { tokens: 1 } }, 'perTurn, perUser and perMonth'],
  ['no limit', { perTurn: {} }, 'budget.perTurn'],
  ['a limit of 0', { perUser: { tokens: 0 } }, 'budget.perUser'],
  ['money without prices', { perTurn: { usd: 1 } }, 'requires prices'],
])('%s is refused when the agent is defined', async (_name, budget, words) => {
  await expect(openTestAgent({ model: scripted('x'), handler: undefined, budget } as object)).rejects.toThrow(words);
});
