import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineTool } from '@berth/agent-core';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type LoopAgent, openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import type { ScriptedStep } from '../models/scripted.ts';
import { readTurn } from '../testing/read-turn.ts';
import { callWipe, confirmsOf, decide, keyOf, wipe } from './testing/wipe.ts';

/** Calls the tool whenever a person says "wipe"; else takes what came of it as the end. */
const onDemand: ScriptedStep = ({ messages }) => {
  const last = messages.at(-1);
  const isAsked = last?.role === 'user' && JSON.stringify(last.content).includes('wipe');
  return isAsked ? callWipe : 'Well.';
};
const waiting = async (fixture: LoopAgent, chat = 'c1'): Promise<unknown[]> =>
  (await fixture.call('alice', 'GET', `/chats/${chat}/approvals`)).json();

describe('decisions that come at once', () => {
  it('by the route: one of them counts', async () => {
    // Holds the agent to the contract: verifies('approval.once')
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([onDemand], { tools: [tool] });
    for (let round = 0; round < 5; round++) {
      const chat = `c${round}`;
      const before = runs.length;
      const key = keyOf(await fixture.say('wipe', {}, chat));
      const answers = await Promise.all(
        ['approve', 'deny', 'approve', 'deny'].map((one) => decide(fixture, key, one, chat)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
      const { decision } = await (answers.find(({ status }) => status === 200) as Response).json();
      await fixture.say('And?', { approvals: [key] }, chat);
      expect(runs.length - before).toBe(decision === 'approve' ? 1 : 0);
      await fixture.say('And?', { approvals: [key] }, chat);
      expect(runs.length - before).toBe(decision === 'approve' ? 1 : 0);
    }
  });

  it('by the route and with a message: it runs once or not at all', async () => {
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([onDemand], { tools: [tool] });
    for (let round = 0; round < 5; round++) {
      const chat = `c${round}`;
      const before = runs.length;
      const key = keyOf(await fixture.say('wipe', {}, chat));
      const [denied] = await Promise.all([
        decide(fixture, key, 'deny', chat),
        fixture.say('Yes', { approvals: [key] }, chat),
      ]);
      expect(runs.length - before).toBe(denied.status === 200 ? 0 : 1);
      await fixture.say('And?', { approvals: [key] }, chat);
      expect(runs.length - before).toBe(denied.status === 200 ? 0 : 1);
    }
  });
});

describe('a stop', () => {
  it('takes back what the turn would have asked: nobody was shown it', async () => {
    const { tool, runs } = wipe();
    let isRunning = false;
    const slow = defineTool({
      name: 'slow',
      description: 'Waits.',
      risk: 'read',
      input: z.object({}),
      run: (_input, { signal }) => {
        isRunning = true;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const both = { calls: [...callWipe.calls, { tool: 'slow', args: {} }] };
    await using fixture = await openLoopAgent([both, 'Well.'], { tools: [tool, slow] });
    const turn = fixture.say('Go');
    await waitUntil('the other call runs, and the question waits', async () => {
      return isRunning && (await waiting(fixture)).length === 1;
    });
    const [question] = (await waiting(fixture)) as { key: string }[];
    expect((await fixture.call('alice', 'POST', '/chats/c1/stop')).status).toBe(202);
    expect(confirmsOf(await turn)).toEqual([]);
    expect(await waiting(fixture)).toEqual([]);
    expect((await decide(fixture, String(question?.key), 'approve')).status).toBe(404);
    await fixture.say('And?', { approvals: [question?.key] });
    expect(runs).toEqual([]);
  });

  it('while an approved call runs uses the approval up', async () => {
    const { tool, runs } = wipe('destructive', {
      run(input, { signal }) {
        runs.push(input);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    await using fixture = await openLoopAgent([onDemand], { tools: [tool] });
    const key = keyOf(await fixture.say('wipe'));
    const turn = fixture.say('Yes', { approvals: [key] });
    await waitUntil('it runs', () => runs.length === 1);
    await fixture.call('alice', 'POST', '/chats/c1/stop');
    await turn;
    await fixture.say('Once more', { approvals: [key] });
    expect((await decide(fixture, key, 'approve')).status).toBe(404);
    expect(runs).toHaveLength(1);
  });
});

describe('a question dies with what it was about', () => {
  it.each([
    ['the exchange was taken back', 'DELETE', '/chats/c1/last-exchange'],
    ['the chat went into the trash', 'DELETE', '/chats/c1'],
  ])('%s', async (_what, method, target) => {
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([onDemand], { tools: [tool] });
    await fixture.say('Hello');
    const key = keyOf(await fixture.say('wipe'));
    const approved = keyOf(await fixture.say('wipe'));
    await decide(fixture, approved, 'approve');
    expect((await fixture.call('alice', method, target)).status).toBe(200);
    if (target === '/chats/c1') await fixture.call('alice', 'POST', '/trash/chat:c1/restore');
    expect(await waiting(fixture)).toEqual([]);
    expect((await decide(fixture, key, 'approve')).status).toBe(404);
    await fixture.say('And?', { approvals: [key, approved] });
    expect(runs).toEqual([]);
  });
});

describe('over instances', () => {
  it('what one asked another decides and a third runs, once, after a restart too', async () => {
    // Holds the agent to the contract: verifies('approval.once')
    const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-approvals-'));
    const { tool, runs } = wipe();
    const open = () => openLoopAgent([onDemand], { tools: [tool], dataFolder });
    try {
      await using first = await open();
      await using second = await open();
      const key = keyOf(await first.say('wipe'));
      expect(await waiting(second)).toMatchObject([{ key, tool: 'wipe', args: { what: 'disk' } }]);
      expect((await decide(second, key, 'approve')).status).toBe(200);
      expect((await decide(first, key, 'deny')).status).toBe(404);
      await first.agent.close();
      await using third = await open();
      // Both may have a turn, one after the other; what is decided is taken once.
      const answers = await Promise.all(
        [second, third].map((fixture) =>
          fixture.call('alice', 'POST', '/?id=c1', {
            messages: [{ role: 'user', content: 'Go on' }],
            approvals: [key],
          }),
        ),
      );
      for (const answer of answers) if (answer.status !== 409) await readTurn(answer);
      expect(runs).toHaveLength(1);
      await second.say('And?', { approvals: [key] });
      expect(runs).toHaveLength(1);
    } finally {
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
});

describe('in workspaces', () => {
  const inTeam = (fixture: LoopAgent, team: string, token: string, method: string, target: string, body?: object) =>
    fetch(fixture.url + target, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'X-Workspace': team, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const message = (content: string, approvals: readonly string[] = []) => ({
    messages: [{ role: 'user', content }],
    approvals,
  });

  it('what was asked in one is nothing in another, and dies with the role; `always` is for the one', async () => {
    // Holds the agent to the contract: verifies('approval.bound', 'workspace.person')
    const { tool, runs } = wipe();
    await using fixture = await openLoopAgent([onDemand], { tools: [tool], workspaces: 'member' });
    const admin = 'carol.acme.admin';
    const made = await fixture.call(admin, 'POST', '/workspaces', { name: 'Team' });
    const { id: team } = (await made.json()) as { id: string };
    const member = `/workspaces/${team}/members/bob`;
    const say = async (content: string, approvals: readonly string[] = []) =>
      readTurn(await inTeam(fixture, team, 'bob.acme', 'POST', '/?id=c1', message(content, approvals)));
    const decideIn = (workspace: string, token: string, key: string, decision = 'approve') =>
      inTeam(fixture, workspace, token, 'POST', `/chats/c1/approvals/${key}`, { decision, resume: false });
    await fixture.call(admin, 'PUT', member, { role: 'editor' });
    const key = keyOf(await say('wipe'));

    // Another workspace of the same person, the same workspace of another person, no one's workspace.
    const elsewhere = await Promise.all([
      decide(fixture, key, 'approve', 'c1', 'bob.acme'),
      decideIn('t-shared', 'bob.acme', key),
      decideIn(team, admin, key),
      decideIn(team, 'bob.acme', 'A'.repeat(32)),
    ]);
    expect(elsewhere.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(await Promise.all(elsewhere.map((answer) => answer.text()))).size).toBe(1);
    await fixture.say('And?', { approvals: [key] }, 'c1', 'bob.acme');
    await readTurn(await inTeam(fixture, 't-shared', 'bob.acme', 'POST', '/?id=c1', message('And?', [key])));
    expect(runs).toEqual([]);

    // Removed and taken back, he is asked again.
    expect((await fixture.call(admin, 'DELETE', member)).status).toBe(200);
    expect((await decideIn(team, 'bob.acme', key)).status).toBe(404);
    await fixture.call(admin, 'PUT', member, { role: 'editor' });
    expect((await decideIn(team, 'bob.acme', key)).status).toBe(404);
    await say('And?', [key]);
    expect(runs).toEqual([]);

    const next = keyOf(await say('wipe'));
    expect((await decideIn(team, 'bob.acme', next, 'always')).status).toBe(200);
    await say('And?');
    expect(confirmsOf(await say('wipe'))).toEqual([]);
    expect(runs).toHaveLength(2);
    expect(await (await inTeam(fixture, team, 'bob.acme', 'GET', '/tools')).json()).toEqual({ wipe: 'allow' });
    expect(await (await fixture.call('bob.acme', 'GET', '/tools')).json()).toEqual({});
    expect(confirmsOf(await fixture.say('wipe', {}, 'c9', 'bob.acme'))).toHaveLength(1);
  });
});
