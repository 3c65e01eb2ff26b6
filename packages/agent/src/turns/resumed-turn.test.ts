import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineTool } from '@berth/agent-core';
import type { Chat, Frame } from '@berth/contract/agent';
import { waitUntil } from '@berth/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../compose/agent-options.ts';
import { type LoopAgent, openLoopAgent, storedSteps } from '../loop/testing/open-loop-agent.ts';
import type { ScriptedStep } from '../models/scripted.ts';
import { type LeaveTurnOptions, leaveKilledTurn } from '../testing/leave-killed-turn.ts';
import { isTwoInstances } from '../testing/two-instances.ts';

let dataFolder: string;

beforeEach(async () => {
  dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-'));
});

afterEach(() => rm(dataFolder, { recursive: true, force: true }));

const leaveTurn = (frames: readonly Frame[], changes: Omit<LeaveTurnOptions, 'dataFolder' | 'userId'> = {}) =>
  leaveKilledTurn(frames, { dataFolder, userId: 'alice', ...changes });

/** Opens the agent again, and waits for the end of the turn. */
async function reopen(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
  const agent = await openLoopAgent(steps, { dataFolder, ...options });
  await waitUntil('the turn has ended', async () => (await readChat(agent)).run !== 'running');
  return agent;
}

const readChat = async (agent: LoopAgent) => (await (await agent.call('alice', 'GET', '/chats/c1')).json()) as Chat;

/** A tool that counts its calls. */
function countingTool(name: string, options: { readonly risk: 'read' | 'write'; readonly isIdempotent?: boolean }) {
  const calls: unknown[] = [];
  const tool = defineTool({
    name,
    description: 'Counts.',
    input: z.object({ what: z.string() }),
    ...options,
    run(input) {
      calls.push(input);
      return `${name} ran`;
    },
  });
  return { tool, calls };
}

const call = (id: string, tool: string, more: object = {}): Frame => ({
  ...{ type: 'step', id, step: tool, tool_name: tool, args: '{"what":"disk"}' },
  ...more,
});

// The lane with two instances has a Postgres in place of the folder.
describe.skipIf(isTwoInstances)('a turn whose process was killed', () => {
  // Fails when the loop starts over, drops what was said, or doesn't tell the model to go on.
  it('goes on after what it said', async () => {
    // Holds the agent to the contract: verifies('run.continued')
    await leaveTurn([{ type: 'text', text: 'The first half' }]);
    await using agent = await reopen(['and the second.']);
    expect(agent.asked[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'The first half' }] },
      { role: 'user', content: [{ type: 'text', text: expect.stringContaining('Go on where it stops') }] },
    ]);
    const { messages, run, run_id } = await readChat(agent);
    expect([run, run_id]).toEqual(['done', 'run_1']);
    expect(messages).toMatchObject([{ content: 'Go' }, { content: 'The first half\n\nand the second.' }]);
    expect(messages[1]).not.toHaveProperty('status');
  });

  // Fails when finished calls run again, or their results aren't given to the model.
  it('does not run again what has a result', async () => {
    const { tool, calls } = countingTool('send', { risk: 'write' });
    await leaveTurn([call('1', 'send', { started: true }), { type: 'step', id: '1', ok: true, result: 'sent' }]);
    await using agent = await reopen(['Done.'], { tools: [tool] });
    expect(calls).toEqual([]);
    expect(agent.asked[0]?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_call', tool: 'send', args: '{"what":"disk"}' }] },
      { role: 'tool', text: 'sent', isError: false },
      { role: 'user' },
    ]);
  });

  // Fails when `started` isn't looked at, or `isIdempotent` isn't.
  it.each([
    ['runs a call again that only reads', { risk: 'read' } as const, false, 1, 'ran'],
    ['runs a call again that is declared idempotent', { risk: 'write', isIdempotent: true } as const, false, 1, 'ran'],
    ['runs a call that had not begun', { risk: 'write' } as const, false, 1, 'ran'],
    [
      'tells the model that a call may have run',
      { risk: 'write' } as const,
      true,
      0,
      'It is not known whether this ran',
    ],
    [
      'takes the opt-out of a tool',
      { risk: 'read', isIdempotent: false } as const,
      true,
      0,
      'It is not known whether this ran',
    ],
  ])('%s', async (_what, options, started, count, told) => {
    const { tool, calls } = countingTool('act', options);
    await leaveTurn([call('1', 'act', started ? { started } : {})]);
    await using agent = await reopen(['Done.'], { tools: [tool] });
    expect(calls).toHaveLength(count);
    expect(agent.asked[0]?.messages[2]).toMatchObject({ role: 'tool', text: expect.stringContaining(told) });
    const { result, ok } = (await storedSteps(agent))[0] as { result?: string; ok?: boolean };
    expect([result, ok]).toEqual([expect.stringContaining(told), count === 1]);
  });

  // Fails when empty or cut arguments count as whole ones: the call would run with other arguments than the model meant.
  it.each(['', '{"wh'])('does not run a call whose arguments were cut off: %j', async (args) => {
    const { tool, calls } = countingTool('act', { risk: 'read' });
    await leaveTurn([call('1', 'act', { args })]);
    await using agent = await reopen(['Done.'], { tools: [tool] });
    expect(calls).toEqual([]);
    expect(JSON.stringify(agent.asked[0]?.messages)).toContain('you were cut off');
  });

  // Fails when the decision is skipped for calls that run again.
  it('asks before it runs a call that needs approval', async () => {
    const { tool, calls } = countingTool('act', { risk: 'write' });
    await leaveTurn([call('1', 'act')], { auto: false });
    await using agent = await reopen(['unused'], { tools: [tool] });
    expect([calls, agent.asked]).toEqual([[], []]);
    const waiting = await (await agent.call('alice', 'GET', '/chats/c1/approvals')).json();
    expect(waiting).toMatchObject([{ tool: 'act', args: { what: 'disk' } }]);
  });

  // Fails when the cost of the killed process is dropped, or counted twice.
  it('keeps the cost of the killed process', async () => {
    await leaveTurn([{ type: 'text', text: 'Half' }], { costMicroUsd: 1_000_000 });
    await using agent = await reopen(['rest']);
    expect((await readChat(agent)).cost).toBe('1.000000');
  });

  // Fails when the option isn't looked at, or a handler is re-entered that doesn't expect it.
  it.each<[string, Partial<AgentOptions>, string]>([
    ['is interrupted where the agent opts out', { resume: false }, 'interrupted'],
    ['goes on', {}, 'done'],
  ])('%s', async (_what, options, status) => {
    await leaveTurn([{ type: 'text', text: 'Half' }]);
    await using agent = await reopen(['rest'], options);
    expect((await readChat(agent)).run).toBe(status);
  });

  it('is interrupted when nobody would follow it', async () => {
    await leaveTurn([{ type: 'text', text: 'Half' }], { isDetached: false });
    await using agent = await reopen(['unused']);
    expect((await readChat(agent)).messages[1]).toMatchObject({ content: 'Half', status: 'interrupted' });
  });
});
