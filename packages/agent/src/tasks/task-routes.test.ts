import type { User } from '@berth/agent-core';
import type { TaskRow } from '@berth/contract/agent';
import { createSystemClock } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../compose/agent.ts';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { TaskError } from './task-error.ts';

const ALICE = { id: 'alice' };

const ALICE_OF_ACME = { id: 'alice', orgId: 'acme' };

/** An agent with two teams of Alice, and a task that starts an hour later or when the test says so. */
async function openTeams() {
  let aheadMs = 0;
  const system = createSystemClock();
  const agent = await openTestAgent({
    workspaces: 'member',
    clock: { ...system, nowMs: () => system.nowMs() + aheadMs },
    prepare: ({ task }) => void task('team', {}, () => 'done'),
  });
  // Members of an organization are known once they have used the agent.
  for (const token of ['alice.acme', 'bob.acme']) await agent.call(token, 'GET', '/workspaces');
  const make = async (name: string) => {
    const response = await agent.call('alice.acme', 'POST', '/workspaces', { name });
    return ((await response.json()) as { id: string }).id;
  };
  const teams = [await make('One'), await make('Two')] as [string, string];
  const enqueue = (user: User, workspace: string, delayMs = 3_600_000) =>
    agent.agent.tasks.enqueue('team', undefined, { user, workspace, delayMs });
  const later = () => {
    aheadMs = 3_600_000;
  };
  return { agent, teams, enqueue, later };
}

const rowOf = async (agent: TestAgent, id: string, token = 'alice') =>
  (await (await agent.call(token, 'GET', `/tasks/${id}`)).json()) as TaskRow;

/** Waits until a task of the agent's own has ended. */
async function ended({ agent }: TestAgent, id: string) {
  await waitUntil('the task has ended', async () => (await agent.tasks.get(id)).endedAtMs !== undefined);
  return agent.tasks.get(id);
}

describe('tasks of a person', () => {
  // Holds the agent to the contract: verifies('task.own'), verifies('task.row')
  test('are listed, read and canceled by that person alone', async () => {
    const gate = Promise.withResolvers<void>();
    await using agent = await openTestAgent({
      prepare({ task }: Agent) {
        task('report', { input: z.object({ secret: z.string() }) }, async (_input, { progress, signal, user }) => {
          progress({ fraction: 0.5, message: `for ${user?.id}` });
          await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
          return { pages: 3 };
        });
      },
    });
    const { tasks } = agent.agent;
    const input = { secret: 'of-the-agent' };
    const { id } = await tasks.enqueue('report', input, { user: ALICE });
    await tasks.enqueue('report', input, { user: { id: 'bob' }, delayMs: 60_000 });
    await tasks.enqueue('report', input, { delayMs: 60_000 });
    await vi.waitFor(async () =>
      expect((await rowOf(agent, id)).progress).toEqual({ fraction: 0.5, message: 'for alice' }),
    );
    const list = await agent.call('alice', 'GET', '/tasks');
    const rows = (await list.json()) as TaskRow[];
    expect(rows).toMatchObject([{ id, name: 'report', status: 'running', attempt: 1, error: null, ended_at: null }]);
    // Fails when the row shows the input, which the agent's code made and the person need not know.
    expect(JSON.stringify(rows)).not.toContain('of-the-agent');
    // Fails when a route reads a task without its owner.
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
    ] as const) {
      expect((await agent.call('bob', method, `/tasks/${id}${path}`)).status).toBe(404);
      expect((await agent.call(undefined, method, `/tasks/${id}${path}`)).status).toBe(401);
    }
    const canceled = await agent.call('alice', 'POST', `/tasks/${id}/cancel`);
    expect([canceled.status, ((await canceled.json()) as TaskRow).cancel_requested]).toEqual([202, true]);
    expect((await ended(agent, id)).status).toBe('cancelled');
    expect((await agent.call('alice', 'POST', `/tasks/${id}/cancel`)).status).toBe(409);
    gate.resolve();
  });

  test('are listed page by page', async () => {
    await using agent = await openTestAgent({ prepare: ({ task }) => void task('later', {}, () => {}) });
    const { tasks } = agent.agent;
    for (let count = 0; count < 3; count++) await tasks.enqueue('later', undefined, { user: ALICE, delayMs: 60_000 });
    const first = await agent.call('alice', 'GET', '/tasks?limit=2&status=pending&name=later');
    const next = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] as string;
    const second = await agent.call('alice', 'GET', next);
    expect([(await first.json()) as TaskRow[], (await second.json()) as TaskRow[]].map((page) => page.length)).toEqual([
      2, 1,
    ]);
    expect(second.headers.get('link')).toBeNull();
    expect((await agent.call('alice', 'GET', '/tasks?status=done')).status).toBe(422);
    const page = await tasks.list({ limit: 2, user: ALICE });
    expect((await tasks.list({ cursor: page.next as string })).tasks).toHaveLength(1);
    await expect(tasks.list({ limit: 0 })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('show the words of a TaskError and the reference, and start turns in the name of the person', async () => {
    await using agent = await openTestAgent({
      prepare(agent) {
        agent.task('greet', {}, async (_input, { id, run }) => {
          const { result } = await run({ chatId: id, message: 'Hello' });
          return (await result).text;
        });
        agent.task('refuse', { retry: { attempts: 1 } }, () => {
          throw new TaskError('The invoice has no address.');
        });
      },
    });
    const { tasks } = agent.agent;
    const greeted = await tasks.enqueue('greet', undefined, { user: ALICE });
    const refused = await tasks.enqueue('refuse', undefined, { user: ALICE });
    expect((await ended(agent, greeted.id)).result).toBe('You said: Hello');
    const chats = (await (await agent.call('alice', 'GET', '/chats')).json()) as { id: string }[];
    expect(chats.map(({ id }) => id)).toEqual([greeted.id]);
    await ended(agent, refused.id);
    expect((await rowOf(agent, refused.id)).error).toEqual({
      message: 'The invoice has no address.',
      reference: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
  });

  test('are of a workspace that the person belongs to, and go with it', async () => {
    const { agent, teams, enqueue } = await openTeams();
    await using _agent = agent;
    const eve = { id: 'eve', orgId: 'acme' };
    await expect(enqueue(eve, teams[0])).rejects.toMatchObject({ code: 'not_found' });
    await enqueue(ALICE_OF_ACME, teams[0], 0);
    await enqueue(ALICE_OF_ACME, teams[1]);
    const rows = async (workspace: string) => {
      const response = await agent.call('alice.acme', 'GET', '/tasks', undefined, { 'X-Workspace': workspace });
      return ((await response.json()) as TaskRow[]).length;
    };
    expect(await Promise.all([...teams, 'u-alice'].map(rows))).toEqual([1, 1, 0]);
    expect((await agent.call('alice.acme', 'DELETE', `/workspaces/${teams[1]}`)).status).toBe(200);
    // Fails when the purge of a workspace leaves its tasks.
    await waitUntil('its tasks are gone', async () => (await agent.agent.tasks.list()).tasks.length === 1);
  });

  // Fails when membership is only checked when the task is added.
  test('of a former member fail', async () => {
    const { agent, teams, enqueue, later } = await openTeams();
    await using _agent = agent;
    const member = `/workspaces/${teams[0]}/members/bob`;
    expect((await agent.call('alice.acme', 'PUT', member, { role: 'editor' })).status).toBe(200);
    const bobs = await enqueue({ id: 'bob', orgId: 'acme' }, teams[0]);
    const alices = await enqueue(ALICE_OF_ACME, teams[0]);
    expect((await agent.call('alice.acme', 'DELETE', member)).status).toBe(200);
    later();
    expect((await ended(agent, alices.id)).status).toBe('succeeded');
    expect(await ended(agent, bobs.id)).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: { message: /no longer belongs/ },
    });
  });
});

// Fails when the agent doesn't count tasks as work: the platform would suspend it in the middle of one.
test('an agent is busy while a task runs', async () => {
  const gate = Promise.withResolvers<void>();
  await using agent = await openTestAgent({ prepare: ({ task }) => void task('work', {}, () => gate.promise) });
  // Two requests reach both instances in the lane with two.
  const answers = async () =>
    Promise.all([1, 2].map(async () => (await agent.call(undefined, 'GET', '/.well-known/berth/busy')).text()));
  expect(await answers()).not.toContain('{"busy":true}');
  const { id } = await agent.agent.tasks.enqueue('work');
  await vi.waitFor(async () => expect(await answers()).toContain('{"busy":true}'));
  gate.resolve();
  await ended(agent, id);
  await vi.waitFor(async () => expect(await answers()).not.toContain('{"busy":true}'), { timeout: 5_000 });
});

describe('definitions', () => {
  test('are checked at once', async () => {
    await using agent = await openTestAgent({
      prepare(agent) {
        agent.task('taken', {}, () => {});
        const wrong = [
          [() => agent.task('taken', {}, () => {}), /defined twice/],
          [() => agent.task('no spaces', {}, () => {}), /1 to 64 letters/],
          [() => agent.task('cron', {}, () => {}), /isn't "cron"/],
          [() => agent.task('a', { retry: { attempts: 0 } }, () => {}), /retry.attempts/],
          [() => agent.task('a', { timeoutMs: 10 }, () => {}), /timeoutMs/],
          [() => agent.task('a', { concurrency: 0 }, () => {}), /concurrency/],
          [() => agent.task('a', {}, undefined as never), /handler/],
          [() => agent.on('webhook/', { verify: () => true }, () => {}), /1 to 64 letters/],
          [() => agent.on('webhook/a', {} as never, () => {}), /verify/],
          [() => agent.on('webhook/a', { verify: () => true, headers: ['X-A'] }, () => {}), /lower case/],
          [() => agent.on('queue/a' as 'cron', {}, () => {}), /the events are/],
        ] as const;
        for (const [call, reason] of wrong) expect(call).toThrow(reason);
      },
    });
    expect(() => agent.agent.task('late', {}, () => {})).toThrow(/before agent.listen/);
    // Without tasks the routes aren't there: they may be the owner's.
    await using plain = await openTestAgent();
    for (const path of ['/tasks', '/webhooks/a']) expect((await plain.call('alice', 'GET', path)).status).toBe(404);
  });

  // Fails when an agent without sign-in keeps its tasks in memory: they would be lost with the instance.
  test('make an agent without sign-in keep its tasks, in production on a volume', async () => {
    const prepare = ({ task }: Agent) => void task('kept', {}, () => 'done');
    const environment = { K_SERVICE: 'agent' };
    await using first = await openTestAgent({ hasAuth: false, environment, prepare });
    const { id } = await first.agent.tasks.enqueue('kept');
    await ended(first, id);
    await first.agent.close({ drainMs: 0 });
    const { dataFolder } = first;
    await using second = await openTestAgent({ hasAuth: false, environment, prepare, dataFolder });
    expect((await second.agent.tasks.get(id)).status).toBe('succeeded');
  });
});
