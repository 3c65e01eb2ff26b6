import { createHmac } from 'node:crypto';
import { createRecordingLogger, waitUntil } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { verifyHmac } from './verify-hmac.ts';

const SECRET = 'whsec_test';

/** Waits until a task of the agent's own has ended. */
async function ended({ agent }: TestAgent, id: string) {
  await waitUntil('the task has ended', async () => (await agent.tasks.get(id)).endedAtMs !== undefined);
  return agent.tasks.get(id);
}

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
