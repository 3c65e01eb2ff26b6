import { canonicalJson, defineTool, type Handler } from '@berth/agent-core';
import { createFakeClock, waitUntil } from '@berth/testkit';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { loop } from '../loop/loop.ts';
import { framesOf, openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import { scripted } from '../models/scripted.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { readTurn } from '../testing/read-turn.ts';
import { decideTool } from './decide-tool.ts';
import { callWipe, confirmsOf, decide, keyOf, wipe } from './testing/wipe.ts';

test('canonical JSON is one text for equal values, and still their JSON', () => {
  const shuffle = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffle);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, inner]) => [name, shuffle(inner)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(shuffle(value))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"y":1,"x":2},"a":[]}'))).toBe(
    '{"__proto__":{"x":2,"y":1},"a":[],"b":1}',
  );
});

test.each([
  // switch, mode, auto, risk
  [false, 'allow', true, 'read', 'hide'],
  [true, 'never', true, 'read', 'hide'],
  [true, 'allow', false, 'destructive', 'run'],
  [true, 'ask', true, 'read', 'ask'],
  [true, undefined, false, 'read', 'run'],
  [true, undefined, true, 'write', 'run'],
  [true, undefined, false, 'write', 'ask'],
  [true, undefined, true, 'destructive', 'ask'],
] as const)('switch %s, mode %s, auto %s, %s: %s', (isSwitchedOn, mode, auto, risk, decision) => {
  // Holds the agent to the contract: verifies('approval.order')
  expect(decideTool({ isSwitchedOn, mode, auto, risk })).toBe(decision);
});

describe('a call that asks', () => {
  it('ends the turn with a question and does nothing', async () => {
    // Holds the agent to the contract: verifies('approval.ask')
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([{ text: 'I wipe.', ...callWipe }], { tools: [tool] });
    const turn = await fixture.say('Go');
    expect(turn.frames.at(-1)).toEqual({
      type: 'ui',
      action: 'confirm',
      id: 'call_1_0',
      key: expect.stringMatching(/^[\w-]{32}$/),
      tool: 'wipe',
      tool_name: 'wipe',
      step: 'Wipe disk',
      label: 'Wipe disk',
      args: { what: 'disk' },
      risk: 'destructive',
    });
    // The step waits: it has not failed.
    expect(framesOf(turn, 'step').at(-1)).toEqual({ type: 'step', id: 'call_1_0', pending: true });
    expect(turn.isDone).toBe(true);
    expect([fixture.asked.length, runs.length]).toEqual([1, 0]);
  });

  it('runs once when it is approved with the next message, and the model is not asked to call it again', async () => {
    // Holds the agent to the contract: verifies('approval.message', 'approval.once')
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([callWipe, 'Done.', callWipe], { tools: [tool] });
    const key = keyOf(await fixture.say('Go'));
    const turn = await fixture.say('Go on.', { approvals: [key, key] });
    expect(turn.text).toBe('Done.');
    expect(runs).toEqual([{ what: 'disk' }]);
    expect(framesOf(turn, 'step')).toMatchObject([
      { step: 'Wipe disk', tool_name: 'wipe', args: '{"what":"disk"}' },
      { ok: true, result: 'wiped' },
    ]);
    expect(fixture.asked[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'user',
    ]);
    // Replayed, it is good for nothing: the same call asks again.
    const again = await fixture.say('Once more.', { approvals: [key] });
    expect(confirmsOf(again)).toHaveLength(1);
    expect(keyOf(again)).not.toBe(key);
    expect(runs).toHaveLength(1);
  });

  it('runs once although the model calls it again, however it writes the arguments', async () => {
    const { tool, runs } = wipe();
    const written = { calls: [{ tool: 'wipe', args: '{ "what" : "d\\u0069sk" }' }] };
    await using fixture = await openLoopAgent([callWipe, written, 'Done.'], { tools: [tool] });
    const turn = await fixture.say('Go on.', { approvals: [keyOf(await fixture.say('Go'))] });
    expect([turn.text, confirmsOf(turn).length, runs.length]).toEqual(['Done.', 0, 1]);
  });

  it('asks again when the model changes the arguments', async () => {
    const { tool, runs } = wipe();
    const other = { calls: [{ tool: 'wipe', args: { what: 'everything' } }] };
    await using fixture = await openLoopAgent([callWipe, other], { tools: [tool] });
    const turn = await fixture.say('Go on.', { approvals: [keyOf(await fixture.say('Go'))] });
    expect(confirmsOf(turn)).toMatchObject([{ args: { what: 'everything' } }]);
    expect(runs).toEqual([{ what: 'disk' }]);
  });

  it.each([
    ['approve', 'wiped', 1],
    ['deny', 'The person refused this call.', 0],
    ['always', 'wiped', 1],
  ])('takes the decision %s by its route', async (decision, told, count) => {
    // Holds the agent to the contract: verifies('approval.route')
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([callWipe, 'Well.', callWipe, 'So.'], { tools: [tool] });
    const key = keyOf(await fixture.say('Go'));
    const response = await decide(fixture, key, decision);
    expect([response.status, await response.json()]).toEqual([200, { ok: true, tool: 'wipe', decision, run: null }]);
    expect((await decide(fixture, key, 'approve')).status).toBe(404);
    expect((await fixture.say('And?')).text).toBe('Well.');
    expect(runs).toHaveLength(count);
    expect(JSON.stringify(fixture.asked[1]?.messages)).toContain(told);
    // From now on it runs without asking, or still asks.
    expect(confirmsOf(await fixture.say('Again'))).toHaveLength(decision === 'always' ? 0 : 1);
  });

  it('runs with what the person made of its arguments, and the model is told so', async () => {
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([callWipe, 'Done.', callWipe, 'So.'], { tools: [tool] });
    const decideWith = async (args: unknown) => {
      const key = keyOf(await fixture.say('Go'));
      const body = { decision: 'approve', args, resume: false };
      return await fixture.call('alice', 'POST', `/chats/c1/approvals/${key}`, body);
    };
    expect((await decideWith({ what: 'cache' })).status).toBe(200);
    const turn = await fixture.say('Go on.');
    expect(runs).toEqual([{ what: 'cache' }]);
    expect(framesOf(turn, 'step')[0]).toMatchObject({ step: 'Wipe cache', args: '{"what":"cache"}' });
    expect(JSON.stringify(fixture.asked[1]?.messages)).toContain('cache');
  });

  it('refuses changed arguments that the tool does not take, and can be decided on afterwards', async () => {
    // Holds the agent to the contract: verifies('approval.args'). Fails when wrong arguments spend the approval, or run.
    const { tool, runs } = wipe('destructive', {
      input: z.object({
        what: z.string().refine((what) => what !== 'root', 'never the root'),
        times: z.int().optional(),
      }),
    });
    await using fixture = await openLoopAgent([callWipe, 'Done.'], { tools: [tool] });
    const key = keyOf(await fixture.say('Go'));
    const decideWith = (args: unknown) =>
      fixture.call('alice', 'POST', `/chats/c1/approvals/${key}`, { decision: 'approve', args, resume: false });
    for (const [args, loc, msg] of [
      [{ what: 1 }, ['body', 'args', 'what'], /string/],
      [{}, ['body', 'args', 'what'], /string/],
      [{ what: 'x', times: 0.5 }, ['body', 'args', 'times'], /int/],
      // A rule that no schema can tell.
      [{ what: 'root' }, ['body', 'args'], /never the root/],
    ] as const) {
      const answer = await decideWith(args);
      expect([args, answer.status]).toEqual([args, 422]);
      expect((await answer.json()).detail).toEqual([
        { loc, msg: expect.stringMatching(msg), type: 'invalid_argument' },
      ]);
    }
    expect((await decideWith({ what: 'cache' })).status).toBe(200);
    await fixture.say('Go on.');
    expect(runs).toEqual([{ what: 'cache' }]);
  });

  it('checks changed arguments by the stored schema where the tool is not the agent’s own', async () => {
    // Fails when only the agent's own tools are checked, as for tools of MCP servers.
    const { tool } = wipe();
    const handler: Handler = (context) => loop({ model: scripted([callWipe, 'Done.']), tools: [tool] })(context);
    await using fixture = await openTestAgent({ handler });
    const turn = await readTurn(
      await fixture.call('alice', 'POST', '/?id=c1', { messages: [{ role: 'user', content: 'Go' }] }),
    );
    const decideWith = (args: unknown) =>
      fixture.call('alice', 'POST', `/chats/c1/approvals/${keyOf(turn)}`, { decision: 'approve', args });
    expect((await decideWith({ what: 1 })).status).toBe(422);
    expect((await decideWith({ what: 'cache' })).status).toBe(200);
  });

  it('is asked for each of several, beside calls that run', async () => {
    const { tool, runs } = wipe();
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      risk: 'read',
      input: z.object({}),
      run: () => 'seen',
    });
    const calls = ['a', 'b'].map((what) => ({ tool: 'wipe', args: { what } }));
    const step = { calls: [...calls, { tool: 'look', args: {} }] };
    await using fixture = await openLoopAgent([step, 'Done.'], { tools: [tool, look] });
    const turn = await fixture.say('Go');
    expect(confirmsOf(turn).map((frame) => frame['args'])).toEqual([{ what: 'a' }, { what: 'b' }]);
    expect(framesOf(turn, 'step').filter((one) => one.ok)).toMatchObject([{ result: 'seen' }]);
    const [first, second] = confirmsOf(turn).map((frame) => String(frame['key']));
    await decide(fixture, first as string, 'deny');
    await fixture.say('Go on.', { approvals: [second] });
    expect(runs).toEqual([{ what: 'b' }]);
  });
});

it('waits where its person finds it again, until it is decided', async () => {
  const { tool } = wipe();
  await using fixture = await openLoopAgent([callWipe, 'Done.'], { tools: [tool] });
  const key = keyOf(await fixture.say('Go'));
  const waiting = async (chat = 'c1', token: string | undefined = 'alice') =>
    (await fixture.call(token, 'GET', `/chats/${chat}/approvals`)).json();
  const expires_at = expect.stringMatching(/^\d{4}-/);
  expect(await waiting()).toEqual([{ tool: 'wipe', key, label: 'Wipe disk', args: { what: 'disk' }, expires_at }]);
  expect(await waiting('c2')).toEqual([]);
  expect(await waiting('c1', 'bob')).toEqual([]);
  await decide(fixture, key, 'deny');
  expect(await waiting()).toEqual([]);
});

describe('a key', () => {
  it("is of one person and one chat; another's and a random one are told alike", async () => {
    // Holds the agent to the contract: verifies('approval.bound')
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([callWipe, callWipe, 'No.'], { tools: [tool] });
    const key = keyOf(await fixture.say('Go'));
    const answers = await Promise.all([
      decide(fixture, key, 'approve', 'c1', 'bob'),
      decide(fixture, key, 'approve', 'c2'),
      decide(fixture, 'A'.repeat(32), 'approve'),
    ]);
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(bodies).size).toBe(1);
    const other = await fixture.say('Go on.', { approvals: [key, 'forged', '../x'] }, 'c1', 'bob');
    expect(confirmsOf(other)).toHaveLength(1);
    await fixture.say('Go on.', { approvals: [key] }, 'c2');
    expect(runs).toEqual([]);
  });

  it.each([
    ['a malformed decision', { decision: 'maybe' }, 422],
    ['no decision', {}, 422],
  ])('with %s is refused', async (_what, body, status) => {
    await using fixture = await openLoopAgent(['Hi']);
    expect((await fixture.call('alice', 'POST', '/chats/c1/approvals/k', body)).status).toBe(status);
    expect((await fixture.call(undefined, 'POST', '/chats/c1/approvals/k', { decision: 'deny' })).status).toBe(401);
  });

  it('is good for a day', async () => {
    const clock = createFakeClock();
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([callWipe, 'Too late.', callWipe, 'In time.'], { tools: [tool], clock });
    const late = keyOf(await fixture.say('Go'));
    clock.advance(24 * 3_600_000);
    expect((await decide(fixture, late, 'approve')).status).toBe(404);
    await fixture.say('Go on.', { approvals: [late] });
    expect(runs).toEqual([]);
    const key = keyOf(await fixture.say('Go'));
    clock.advance(24 * 3_600_000 - 1_000);
    await fixture.say('Go on.', { approvals: [key] });
    expect(runs).toHaveLength(1);
  });

  it('is good once, of two tabs that say yes at once', async () => {
    const gate = Promise.withResolvers<void>();
    const { tool, runs } = wipe('destructive', {
      run: async (input) => {
        runs.push(input);
        await gate.promise;
      },
    });
    await using fixture = await openLoopAgent([callWipe, 'Done.'], { tools: [tool] });
    const key = keyOf(await fixture.say('Go'));
    const tabs = [fixture.say('Yes', { approvals: [key] }), fixture.say('Yes', { approvals: [key] })];
    await waitUntil('it runs', () => runs.length > 0);
    gate.resolve();
    await Promise.all(tabs.map((tab) => tab.catch(() => {})));
    expect(runs).toHaveLength(1);
  });
});

describe('what was approved', () => {
  it('is not run by another tool of the same name', async () => {
    const first = wipe();
    await using fixture = await openLoopAgent([callWipe], { tools: [first.tool] });
    const key = keyOf(await fixture.say('Go'));
    await fixture.agent.close();
    const second = wipe('destructive', { description: 'Wipes, and tells everybody.' });
    await using after = await openLoopAgent(['I see.'], { tools: [second.tool], dataFolder: fixture.dataFolder });
    expect((await after.say('Go on.', { approvals: [key] })).text).toBe('I see.');
    expect([first.runs, second.runs]).toEqual([[], []]);
    expect(JSON.stringify(after.asked[0]?.messages)).toContain('the tool has changed');
  });

  it('always runs, until the tool is another one; then it asks until the person says so again', async () => {
    const first = wipe();
    await using fixture = await openLoopAgent([callWipe], { tools: [first.tool] });
    await decide(fixture, keyOf(await fixture.say('Go')), 'always');
    await fixture.agent.close();
    const second = wipe('write', { description: 'Wipes, and tells everybody.' });
    const steps = [callWipe, 'Well.', callWipe, 'Done.', callWipe, 'Done.'];
    const { dataFolder } = fixture;
    await using after = await openLoopAgent(steps, { tools: [second.tool], dataFolder });
    // What was approved of the first is not run, and the second, which would run without a setting, asks.
    expect(confirmsOf(await after.say('Go'))).toHaveLength(1);
    expect([first.runs, second.runs]).toEqual([[], []]);
    expect(await (await after.call('alice', 'GET', '/tools')).json()).toEqual({ wipe: 'allow' });
    await after.call('alice', 'PUT', '/tools/wipe', { mode: 'allow' });
    expect((await after.say('Go')).text).toBe('Well.');
    await after.say('Go');
    expect(second.runs).toHaveLength(1);
  });

  it('is not always allowed by a card that is older than the word never', async () => {
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([callWipe, 'I see.'], { tools: [tool] });
    const key = keyOf(await fixture.say('Go'));
    await fixture.call('alice', 'PUT', '/tools/wipe', { mode: 'never' });
    const answer = await decide(fixture, key, 'always');
    expect([answer.status, await answer.json()]).toEqual([409, { detail: expect.stringMatching(/never allow this/) }]);
    expect(await (await fixture.call('alice', 'GET', '/tools')).json()).toEqual({ wipe: 'never' });
    expect((await decide(fixture, key, 'approve')).status).toBe(200);
    await fixture.say('And?');
    expect(runs).toEqual([]);
  });

  it('is run by the next server, from what the first one kept', async () => {
    const first = wipe();
    await using fixture = await openLoopAgent([callWipe], { tools: [first.tool] });
    const key = keyOf(await fixture.say('Go'));
    await decide(fixture, key, 'approve');
    await fixture.agent.close();
    const second = wipe();
    await using after = await openLoopAgent(['Done.'], { tools: [second.tool], dataFolder: fixture.dataFolder });
    await after.say('And?');
    expect(second.runs).toEqual([{ what: 'disk' }]);
  });

  it.each([
    ['was set to never', { mode: 'never' }, {}],
    ['is left out of the turn', undefined, { disabled_tools: ['wipe'] }],
  ])('is not run when the tool %s meanwhile', async (_what, mode, body) => {
    // Holds the agent to the contract: verifies('turn.disabled-tools')
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([callWipe, 'I see.'], { tools: [tool] });
    const key = keyOf(await fixture.say('Go'));
    if (mode) expect((await fixture.call('alice', 'PUT', '/tools/wipe', mode)).status).toBe(200);
    await fixture.say('Go on.', { approvals: [key], ...body });
    expect(runs).toEqual([]);
    expect(fixture.asked[1]?.tools).toEqual([]);
    expect(JSON.stringify(fixture.asked[1]?.messages)).toContain('not offered now');
  });
});

test.each([
  ['write', {}, 0],
  ['write', { auto: false }, 1],
  ['read', { auto: false }, 0],
  ['destructive', {}, 1],
] as const)('a %s tool with %j asks %s times', async (risk, body, count) => {
  const { tool, runs } = wipe(risk);
  await using fixture = await openLoopAgent([callWipe, 'Done.'], { tools: [tool] });
  expect(confirmsOf(await fixture.say('Go', body))).toHaveLength(count);
  expect(runs).toHaveLength(1 - count);
});

test("the organization's switch is above what the person chose", async () => {
  const { tool, runs } = wipe();
  await using fixture = await openLoopAgent([callWipe, 'So be it.'], { tools: [tool], isToolAllowed: () => false });
  await fixture.call('alice', 'PUT', '/tools/wipe', { mode: 'allow' });
  expect((await fixture.say('Go')).text).toBe('So be it.');
  expect([fixture.asked[0]?.tools, runs]).toEqual([[], []]);
});

test('callers who did not sign in are asked too, and can say yes', async () => {
  const { tool, runs } = wipe();
  await using fixture = await openLoopAgent([callWipe, 'Done.'], { tools: [tool], hasAuth: false });
  const key = keyOf(await fixture.say('Go'));
  expect(await (await fixture.call(undefined, 'GET', '/chats/c1/approvals')).json()).toEqual([]);
  expect((await fixture.call(undefined, 'POST', `/chats/c1/approvals/${key}`, { decision: 'always' })).status).toBe(
    200,
  );
  expect((await fixture.say('And?')).text).toBe('Done.');
  expect(runs).toHaveLength(1);
});
