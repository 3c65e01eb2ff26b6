import { createHmac } from 'node:crypto';
import type { TaskRow } from '@berth/contract/agent';
import { createRecordingLogger, waitUntil } from '@berth/testkit';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../compose/agent.ts';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { TaskError } from './task-error.ts';
import { verifyHmac } from './verify-hmac.ts';

const SECRET = 'whsec_test';
const ALICE = { id: 'alice' };

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

  // Fails when membership is only checked when the task is added.
  test('of a workspace end with the membership', async () => {
    await using agent = await openTestAgent({
      workspaces: 'member',
      prepare: ({ task }) => void task('team', { retry: { attempts: 1 } }, () => 'done'),
    });
    const made = await agent.call('alice.acme', 'POST', '/workspaces', { name: 'Team' });
    const { id: workspace } = (await made.json()) as { id: string };
    const { tasks } = agent.agent;
    const alice = { id: 'alice', orgId: 'acme' };
    await expect(
      tasks.enqueue('team', undefined, { user: { id: 'eve', orgId: 'acme' }, workspace }),
    ).rejects.toMatchObject({ code: 'not_found' });
    const first = await tasks.enqueue('team', undefined, { user: alice, workspace });
    expect((await ended(agent, first.id)).status).toBe('succeeded');
    const rows = async (headers: Record<string, string>) =>
      (await (await agent.call('alice.acme', 'GET', '/tasks', undefined, headers)).json()) as TaskRow[];
    expect([(await rows({ 'X-Workspace': workspace })).length, (await rows({})).length]).toEqual([1, 0]);
    const late = await tasks.enqueue('team', undefined, { user: alice, workspace, delayMs: 1_500 });
    expect((await agent.call('alice.acme', 'DELETE', `/workspaces/${workspace}`)).status).toBe(200);
    // The removal deletes the workspace's tasks, at the latest when it ends.
    await waitUntil('the task is gone or failed', async () => {
      const task = await tasks.get(late.id).catch(() => undefined);
      return task === undefined || task.status === 'failed';
    });
  });
});

describe('a webhook', () => {
  const sign = (body: string) => `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const send = (agent: TestAgent, body: string, headers: Record<string, string> = {}) =>
    agent.call(undefined, 'POST', '/webhooks/hub', body, {
      'Content-Type': 'application/json',
      'X-Hub-Signature-256': sign(body),
      ...headers,
    });
  const openHub = async (lines: string[] = []) => {
    const events: unknown[] = [];
    const agent = await openTestAgent({
      hasAuth: false,
      logger: createRecordingLogger(lines),
      prepare(agent) {
        agent.on(
          'webhook/hub',
          {
            verify: verifyHmac({ header: 'x-hub-signature-256', prefix: 'sha256=', secret: SECRET }),
            schema: z.object({ action: z.string(), id: z.number().optional() }),
            idempotencyKey: ({ payload }) => (payload.id === undefined ? undefined : `${payload.id}`),
            respond: ({ payload }) => (payload.action === 'ping' ? new Response('pong') : undefined),
            headers: ['x-github-event'],
            maxBytes: 1_000,
          },
          (payload, { headers, attempt }) => void events.push([payload, headers, attempt]),
        );
      },
    });
    return { agent, events };
  };

  // Holds the agent to the contract: verifies('webhook.accepted')
  test('becomes a task once it is verified, and is answered before it is handled', async () => {
    const { agent, events } = await openHub();
    await using _agent = agent;
    const body = '{ "action": "opened", "more": 1 }';
    const response = await send(agent, body, { 'X-GitHub-Event': 'issues', Authorization: 'Bearer of-somebody' });
    const { task_id: id } = (await response.json()) as { task_id: string };
    expect([response.status, id]).toEqual([202, expect.stringMatching(/^task_/)]);
    const task = await ended(agent, id);
    expect(events).toEqual([[{ action: 'opened' }, { 'x-github-event': 'issues' }, 1]]);
    // Fails when headers are stored that the options don't name.
    expect(JSON.stringify(task)).not.toMatch(/of-somebody|sha256/);
  });

  // Fails when the signature is checked over the parsed body, or a missing or longer one passes.
  test('that is not signed is refused, with the reason in the log', async () => {
    const lines: string[] = [];
    const { agent, events } = await openHub(lines);
    await using _agent = agent;
    const body = '{"action":"opened"}';
    for (const signature of [sign(`${body} `), '', 'sha256=', `${sign(body)}0`, sign(body).replace('sha256=', '')]) {
      const response = await send(agent, body, { 'X-Hub-Signature-256': signature });
      expect([signature, response.status]).toEqual([signature, 401]);
    }
    expect([events, lines.some((line) => line.includes('was refused'))]).toEqual([[], true]);
    expect(() => verifyHmac({ header: 'x', secret: '' })).toThrow(/secret is empty/);
  });

  // Holds the agent to the contract: verifies('webhook.refused')
  test('that is wrong is refused', async () => {
    const { agent, events } = await openHub();
    await using _agent = agent;
    const cases = [
      ['{"action":1}', 422],
      ['{"action":', 422],
      [`{"action":"${'x'.repeat(1_000)}"}`, 413],
    ] as const;
    for (const [body, status] of cases) expect((await send(agent, body)).status).toBe(status);
    expect((await agent.call(undefined, 'POST', '/webhooks/other', '{}')).status).toBe(404);
    expect((await agent.call(undefined, 'GET', '/webhooks/hub')).status).toBe(405);
    expect(events).toEqual([]);
  });

  // Fails when a duplicate is handled again, or answered otherwise than the first.
  // Holds the agent to the contract: verifies('webhook.duplicate')
  test('that was sent before is answered alike, and handled once', async () => {
    const { agent, events } = await openHub();
    await using _agent = agent;
    const answers = await Promise.all([1, 2, 3].map(() => send(agent, '{"action":"opened","id":7}')));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect([new Set(bodies).size, new Set(answers.map(({ status }) => status))]).toEqual([1, new Set([202])]);
    await ended(agent, (JSON.parse(bodies[0] as string) as { task_id: string }).task_id);
    expect(events).toHaveLength(1);
  });

  test('may be answered at once, without a task', async () => {
    const { agent } = await openHub();
    await using _agent = agent;
    const response = await send(agent, '{"action":"ping"}');
    expect([response.status, await response.text(), (await agent.agent.tasks.list()).tasks]).toEqual([200, 'pong', []]);
  });

  test('takes the standard headers as its key, and forms and texts as payloads', async () => {
    const payloads: unknown[] = [];
    await using agent = await openTestAgent({
      prepare: ({ on }) => on('webhook/any', { verify: () => true }, (payload) => void payloads.push(payload)),
    });
    const post = async (type: string, body: string, headers: Record<string, string> = {}) => {
      const response = await agent.call(undefined, 'POST', '/webhooks/any', body, { 'Content-Type': type, ...headers });
      return ((await response.json()) as { task_id: string }).task_id;
    };
    for (const name of ['webhook-id', 'idempotency-key']) {
      const key = { [name]: `${name}-${'x'.repeat(400)}` };
      expect(await post('application/json', '1', key)).toBe(await post('application/json', '2', key));
    }
    const last = [await post('application/x-www-form-urlencoded', 'a=1&b=x+y'), await post('text/plain', 'hi')];
    await Promise.all(last.map((id) => ended(agent, id)));
    await waitUntil('all are handled', () => payloads.length === 4);
    expect(payloads).toEqual(expect.arrayContaining([1, { a: '1', b: 'x y' }, 'hi']));
  });

  // Fails when a verify that returns nothing, or throws, lets the event in.
  test('is refused unless verify says true', async () => {
    const verifies = [() => undefined as never, () => 1 as never, () => Promise.reject(new Error('no'))];
    await using agent = await openTestAgent({
      prepare({ on }) {
        for (const [index, verify] of verifies.entries()) on(`webhook/w${index}`, { verify }, () => {});
      },
    });
    for (const index of verifies.keys()) {
      expect((await agent.call(undefined, 'POST', `/webhooks/w${index}`, '{}')).status).toBe(401);
    }
  });
});

describe('the schedule', () => {
  const openCron = (handler: () => unknown, environment: Record<string, string> = { CRON_TOKEN: 'secret' }) =>
    openTestAgent({
      environment,
      prepare: ({ on }) => on('cron', { retry: { attempts: 1 } }, handler),
    });
  const fire = (agent: TestAgent, headers: Record<string, string> = {}) =>
    agent.call(undefined, 'POST', '/cron', undefined, {
      'X-Cron-Token': 'secret',
      'X-Cron-Scheduled-Time': '2026-11-23T02:30:00Z',
      ...headers,
    });

  // Holds the agent to the contract: verifies('cron.task')
  test('fires a task, and its answer says how that ended', async () => {
    const events: unknown[] = [];
    await using agent = await openTestAgent({
      environment: { CRON_TOKEN: 'secret' },
      prepare: ({ on }) => on('cron', {}, (event) => void events.push(event)),
    });
    const response = await fire(agent);
    expect([response.status, await response.json()]).toEqual([
      200,
      { task_id: expect.any(String), status: 'succeeded' },
    ]);
    // Fails when another try of the same fire runs the task again.
    expect((await fire(agent)).status).toBe(200);
    expect(events).toEqual([{ scheduledAtMs: Date.UTC(2026, 10, 23, 2, 30) }]);
    expect((await fire(agent, { 'X-Cron-Scheduled-Time': '2026-11-23T02:31:00Z' })).status).toBe(200);
    expect(events).toHaveLength(2);
  });

  test('that fails is answered with 500 and the reference', async () => {
    await using agent = await openCron(() => {
      throw new Error('the secret reason');
    });
    const response = await fire(agent);
    const body = await response.text();
    expect([response.status, JSON.parse(body)]).toMatchObject([500, { status: 'failed', error: { reference: /^/ } }]);
    expect(body).not.toContain('secret reason');
  });

  // Holds the agent to the contract: verifies('cron.token')
  test('takes the platform’s token only', async () => {
    let count = 0;
    await using agent = await openCron(() => void count++);
    for (const token of ['', 'secre', 'secret2']) {
      expect((await fire(agent, { 'X-Cron-Token': token })).status).toBe(403);
    }
    expect(count).toBe(0);
  });

  // Fails when an agent whose tasks wait for the schedule answers it with 404, or shadows the owner's own route.
  test('wakes an agent that has tasks and no handler, unless the owner has a route', async () => {
    const environment = { CRON_TOKEN: 'secret' };
    await using woken = await openTestAgent({ environment, prepare: ({ task }) => void task('later', {}, () => {}) });
    expect([(await fire(woken)).status, (await fire(woken, { 'X-Cron-Token': 'no' })).status]).toEqual([200, 403]);
    await using owned = await openTestAgent({
      environment,
      prepare({ task, routes }) {
        task('later', {}, () => {});
        routes.post('/cron', (c) => c.text('mine'));
      },
    });
    expect(await (await fire(owned)).text()).toBe('mine');
    await using plain = await openTestAgent({ environment });
    expect((await fire(plain)).status).toBe(404);
  });

  test('without a token runs on a developer’s machine, and not in production', async () => {
    await using local = await openCron(() => {}, {});
    expect((await local.call(undefined, 'POST', '/cron')).status).toBe(200);
    await using deployed = await openCron(() => {}, { K_SERVICE: 'agent' });
    expect((await deployed.call(undefined, 'POST', '/cron')).status).toBe(403);
  });
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
