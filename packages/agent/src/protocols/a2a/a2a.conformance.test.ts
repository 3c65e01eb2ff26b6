import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AgentCard, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { ClientFactory, createAuthenticatingFetchWithRetry, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { callWipe, wipe } from '../../approvals/testing/wipe.ts';
import { oidc } from '../../auth/oidc.ts';
import { openLoopAgent } from '../../loop/testing/open-loop-agent.ts';
import { openTestAgent, type TestAgent } from '../../testing/open-test-agent.ts';
import { isTwoInstances } from '../../testing/two-instances.ts';

const A2A = { protocols: { a2a: true } } as const;

/** The SDK's client, made from the card that the agent serves. */
async function connect({ url }: TestAgent, token?: string) {
  const headers = async () => (token === undefined ? {} : { Authorization: `Bearer ${token}` });
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
    headers,
    shouldRetryWithHeaders: async () => undefined,
  });
  const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })] });
  const client = await factory.createFromUrl(url);
  const request = (text: string | object, { taskId = '', contextId = '', ...configuration }: Configuration = {}) => ({
    tenant: '',
    message: {
      messageId: crypto.randomUUID(),
      contextId,
      taskId,
      role: Role.ROLE_USER,
      parts: [
        typeof text === 'string'
          ? { content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' }
          : { content: { $case: 'data' as const, value: text }, metadata: undefined, filename: '', mediaType: '' },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
    metadata: undefined,
  });
  return {
    client,
    request,
    say: async (text: string | object, options?: Configuration) =>
      (await client.sendMessage(request(text, options))) as Task,
    get: (id: string) => client.getTask({ tenant: '', id }),
    cancel: (id: string) => client.cancelTask({ tenant: '', id, metadata: undefined }),
  };
}

interface Configuration {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly returnImmediately?: boolean;
  readonly taskPushNotificationConfig?: ReturnType<typeof pushTo>;
}

const pushTo = (url: string) => ({
  ...{ tenant: '', id: 'p1', taskId: '', url, token: 'my-token' },
  authentication: { scheme: 'Bearer', credentials: 'my-secret' },
});

const textOf = ({ artifacts }: Pick<Task, 'artifacts'>) =>
  artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value as string)).join('\n');

const stateOf = (task: Task) => task.status?.state;

/** An agent that answers when it is told to. */
function slow() {
  const gate = Promise.withResolvers<void>();
  let isStopped = false;
  return {
    release: gate.resolve,
    get isStopped() {
      return isStopped;
    },
    async *handler({ signal }: { readonly signal: AbortSignal }) {
      yield 'Begun. ';
      signal.addEventListener('abort', () => gate.resolve(), { once: true });
      await gate.promise;
      isStopped = signal.aborted;
      if (!isStopped) yield 'Done.';
    },
  };
}

describe('an agent with A2A, with the SDK’s client', () => {
  // Holds the agent to the contract: verifies('a2a.card')
  // Fails when the card doesn't name the endpoint, or who may call it.
  it('is found by its card, which names the issuer', async () => {
    const auth = oidc({ issuer: 'https://login.example.com', audience: 'x', jwks: { keys: [] } });
    await using agent = await openTestAgent({ ...A2A, auth, title: 'Desk', description: 'Knows orders.' });
    const { client } = await connect(agent);
    const card: AgentCard = await client.getAgentCard();
    expect(card).toMatchObject({ name: 'Desk', description: 'Knows orders.', capabilities: { streaming: true } });
    expect(card.supportedInterfaces).toMatchObject([{ url: `${agent.url}/a2a`, protocolBinding: 'JSONRPC' }]);
    expect(Object.values(card.securitySchemes)).toMatchObject([
      { scheme: { value: { openIdConnectUrl: 'https://login.example.com/.well-known/openid-configuration' } } },
    ]);
  });

  // Holds the agent to the contract: verifies('a2a.task')
  // Fails when the task is not of a stored chat, or can't be read again.
  it('answers a message with a task of its context', async () => {
    await using agent = await openTestAgent(A2A);
    const { say, get, client } = await connect(agent, 'alice');
    const task = await say('Hello');
    expect([stateOf(task), textOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'You said: Hello']);
    const next = await say('Again', { contextId: task.contextId });
    expect(next.contextId).toBe(task.contextId);
    expect(next.id).not.toBe(task.id);
    expect(await get(task.id)).toEqual(task);
    const list = await client.listTasks({
      ...{ tenant: '', contextId: task.contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
      ...{ statusTimestampAfter: undefined, pageSize: 1 },
    });
    expect(list.tasks.map(({ id }) => id)).toEqual([next.id]);
    expect([list.totalSize, list.nextPageToken]).toEqual([2, '1']);
    const chats = (await (await agent.call('alice', 'GET', '/chats')).json()) as { id: string }[];
    expect(chats.map(({ id }) => id)).toEqual([task.contextId]);
  });

  // Holds the agent to the contract: verifies('a2a.people')
  // Fails when a task is open to anyone but its caller.
  it('keeps people apart', async () => {
    await using agent = await openTestAgent(A2A);
    const [alice, bob] = [await connect(agent, 'alice'), await connect(agent, 'bob')];
    const { id } = await alice.say('Mine');
    await expect(bob.get(id)).rejects.toThrow('There is no task');
    await expect(bob.cancel(id)).rejects.toThrow('There is no task');
    await expect((await connect(agent)).say('Hello')).rejects.toThrow('401');
  });

  // Holds the agent to the contract: verifies('a2a.stream')
  // Fails when the text is not streamed, or the last event has not the task's state.
  it('streams a task, and lets a second reader join', async () => {
    const { handler, release } = slow();
    await using agent = await openTestAgent({ ...A2A, handler });
    const { client, request } = await connect(agent, 'alice');
    const events: StreamResponse[] = [];
    const reading = (async () => {
      for await (const event of client.sendMessageStream(request('Go'))) events.push(event);
    })();
    await waitUntil('text is there', () => events.some(({ payload }) => payload?.$case === 'artifactUpdate'));
    const [first] = events;
    const task = first?.payload?.value as Task;
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_WORKING);
    const joined = client.resubscribeTask({ tenant: '', id: task.id });
    expect((await joined.next()).value?.payload?.$case).toBe('task');
    release();
    await reading;
    const rest: StreamResponse[] = [];
    for await (const event of joined) rest.push(event);
    for (const seen of [events, rest]) {
      const texts = seen.flatMap(({ payload }) =>
        payload?.$case === 'artifactUpdate' ? (payload.value.artifact?.parts ?? []) : [],
      );
      expect(texts.map(({ content }) => content?.value).join('')).toBe('Begun. Done.');
      expect(seen.at(-1)?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } });
    }
    await expect(client.resubscribeTask({ tenant: '', id: task.id }).next()).rejects.toThrow('is not running');
  });

  // Holds the agent to the contract: verifies('a2a.cancel')
  // Fails when a canceled task goes on.
  it('returns at once when asked to, and cancels', async () => {
    const turn = slow();
    await using agent = await openTestAgent({ ...A2A, handler: turn.handler });
    const { say, cancel } = await connect(agent, 'alice');
    const task = await say('Go', { returnImmediately: true });
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_WORKING);
    expect(stateOf(await cancel(task.id))).toBe(TaskState.TASK_STATE_CANCELED);
    expect(turn.isStopped).toBe(true);
    await expect(cancel(task.id)).rejects.toThrow('has ended');
  });

  // Holds the agent to the contract: verifies('a2a.approval')
  // Fails when a call runs without a decision, by a text, or after a refusal.
  it.each([
    [true, 1],
    [false, 0],
  ])('requires input for an approval, and goes on after %s', async (isApproved, count) => {
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([callWipe, 'Well.'], { ...A2A, tools: [tool] });
    const { say, get } = await connect(agent, 'alice');
    const task = await say('Wipe');
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const data = task.status?.message?.parts.find(({ content }) => content?.$case === 'data')?.content?.value;
    expect(data).toMatchObject({ approvals: [{ tool: 'wipe', label: 'Wipe disk', args: { what: 'disk' } }] });
    await expect(say('Yes, do it', { taskId: task.id })).rejects.toThrow('Decide on exactly');
    expect(runs).toHaveLength(0);
    const decided = await say({ approvals: { [data.approvals[0].key]: isApproved } }, { taskId: task.id });
    expect([decided.id, stateOf(decided)]).toEqual([task.id, TaskState.TASK_STATE_COMPLETED]);
    expect(textOf(decided)).toContain('Well.');
    expect(runs).toHaveLength(count);
    expect(await get(task.id)).toEqual(decided);
    await expect(say('More', { taskId: task.id })).rejects.toThrow("doesn't accept messages");
  });

  // Fails when canceling lets the call that waits run later.
  it('cancels a task that waits by refusing its calls', async () => {
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([callWipe, 'Well.'], { ...A2A, tools: [tool] });
    const { say, cancel } = await connect(agent, 'alice');
    const task = await say('Wipe');
    expect(stateOf(await cancel(task.id))).toBe(TaskState.TASK_STATE_CANCELED);
    await say('Next', { contextId: task.contextId });
    expect(runs).toHaveLength(0);
  });

  // Fails when a failed turn looks like one that succeeded, or shows the error's own text.
  it('fails with a reference', async () => {
    await using agent = await openTestAgent({
      ...A2A,
      // biome-ignore lint/correctness/useYield: it fails before it says anything
      async *handler() {
        throw new Error('secret');
      },
    });
    const task = await (await connect(agent, 'alice')).say('Go');
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_FAILED);
    expect(task.status?.message?.parts[0]?.content?.value).toMatch(/[0-9a-f]{8}$/);
    expect(JSON.stringify(task)).not.toContain('secret');
  });
});

describe('push notifications', () => {
  /** A receiver that refuses the first request. */
  async function receiver() {
    const got: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      got.push({ headers: request.headers, body });
      response.writeHead(got.length === 1 ? 503 : 200).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { got, url: `http://127.0.0.1:${port}/`, [Symbol.dispose]: () => void server.close() };
  }

  // Holds the agent to the contract: verifies('a2a.push')
  // Fails when a notification isn't repeated, or lacks the token by which its receiver knows it.
  it('tell the address that a task has ended', async () => {
    using target = await receiver();
    const outbound = { allowedNetworks: ['127.0.0.0/8'] };
    await using agent = await openTestAgent({ ...A2A, outbound });
    const { say, client } = await connect(agent, 'alice');
    const task = await say('Hello', { taskPushNotificationConfig: pushTo(target.url) });
    await waitUntil('it was told twice', () => target.got.length === 2);
    const told = target.got[1];
    expect(told?.headers).toMatchObject({ 'x-a2a-notification-token': 'my-token', authorization: 'Bearer my-secret' });
    expect(JSON.parse(told?.body ?? '')).toMatchObject({
      task: { id: task.id, status: { state: 'TASK_STATE_COMPLETED' } },
    });
    // Another instance doesn't know the addresses that this one was given.
    if (isTwoInstances) return;
    const at = { tenant: '', taskId: task.id };
    const listed = await client.listTaskPushNotificationConfig({ ...at, pageSize: 0, pageToken: '' });
    expect(listed.configs.map(({ id }) => id)).toEqual(['p1']);
    await client.deleteTaskPushNotificationConfig({ ...at, id: 'p1' });
    await expect(client.getTaskPushNotificationConfig({ ...at, id: 'p1' })).rejects.toThrow(
      'no such push notification config',
    );
  });

  // Fails when an agent can be made to call its own network.
  it('never go to private addresses', async () => {
    using target = await receiver();
    const lines: string[] = [];
    const log = (_fields: unknown, text: string) => void lines.push(text);
    const logger = { debug() {}, info() {}, error() {}, warn: log, child: () => logger };
    await using agent = await openTestAgent({ ...A2A, logger });
    const { say } = await connect(agent, 'alice');
    const task = await say('Hello', { taskPushNotificationConfig: pushTo(target.url) });
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_COMPLETED);
    await waitUntil('it was given up', () => lines.includes('a push notification could not be delivered'));
    expect(target.got).toEqual([]);
  });

  // Fails when addresses that can't be told anything, or without bound, are stored.
  it.each([
    [{ url: 'file:///etc/passwd' }, 'https'],
    [{ token: 'a\r\nb' }, 'token must be printable'],
    [{ token: 'a'.repeat(3_000) }, 'at most 2048'],
  ])('refuse other addresses', async (change, message) => {
    await using agent = await openTestAgent(A2A);
    const { say, client } = await connect(agent, 'alice');
    const { id: taskId } = await say('Hello');
    const config = { ...pushTo('https://push.example.com/'), taskId, ...change };
    await expect(client.createTaskPushNotificationConfig(config)).rejects.toThrow(message);
    const wrong = say('Again', { taskPushNotificationConfig: { ...config, taskId: '' } });
    await expect(wrong).rejects.toThrow(message);
    const chats = (await (await agent.call('alice', 'GET', '/chats')).json()) as unknown[];
    expect(chats).toHaveLength(1);
  });
});

describe('an agent without sign-in', () => {
  // Fails when a task is promised that no one can read again.
  it('answers with a message', async () => {
    await using agent = await openTestAgent({ ...A2A, hasAuth: false });
    const { client, request } = await connect(agent);
    const answer = await client.sendMessage(request('Hello'));
    expect(answer).toMatchObject({ role: Role.ROLE_AGENT, taskId: '' });
    expect((answer as { parts: { content: { value: string } }[] }).parts[0]?.content.value).toBe('You said: Hello');
  });
});
