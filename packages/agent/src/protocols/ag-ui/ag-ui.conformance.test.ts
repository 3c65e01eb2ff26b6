import { type BaseEvent, EventType, HttpAgent, type Message } from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import { callout, code, defineTool, status, step, table, thinking } from '@berth/agent-core';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callWipe, wipe } from '../../approvals/testing/wipe.ts';
import { subAgent } from '../../loop/sub-agent.ts';
import { openLoopAgent } from '../../loop/testing/open-loop-agent.ts';
import { scripted } from '../../models/scripted.ts';
import { openTestAgent, type TestAgent } from '../../testing/open-test-agent.ts';

const AG_UI = { protocols: { agUi: true } } as const;

/** The SDK's client, which checks the order of events, with what it received. */
function connect({ url }: TestAgent, token: string | undefined, threadId = 'c1') {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const client = new HttpAgent({ url: `${url}/ag-ui`, threadId, headers });
  const events: BaseEvent[] = [];
  client.subscribe({
    onEvent({ event }) {
      events.push(event);
    },
  });
  return {
    client,
    events,
    async say(content: string) {
      client.addMessage({ id: crypto.randomUUID(), role: 'user', content });
      const result = await client.runAgent();
      // The schemas of the SDK take nothing that the protocol doesn't have.
      for (const event of events) EventSchema.parse(event);
      return result;
    },
    of: (type: EventType) => events.filter((event) => event.type === type) as unknown as Record<string, unknown>[],
  };
}

const textsOf = (messages: readonly Message[]) =>
  messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);

describe('an agent with AG-UI, with the SDK’s client', () => {
  // Holds the agent to the contract: verifies('ag-ui.turn')
  // Fails when the turn is not of a stored chat, or the second one begins another.
  it('streams an answer, and goes on with the chat of the thread', async () => {
    await using agent = await openTestAgent({
      ...AG_UI,
      async *handler({ messages }) {
        yield 'You ';
        yield `said ${messages.length} things.`;
      },
    });
    const { say, of, client } = connect(agent, 'alice');
    const { newMessages } = await say('Hello');
    expect(textsOf(newMessages)).toEqual(['You said 1 things.']);
    expect(of(EventType.TEXT_MESSAGE_START)).toHaveLength(1);
    expect(textsOf((await say('Again')).newMessages)).toEqual(['You said 3 things.']);
    expect(client.pendingInterrupts).toEqual([]);
    const chat = (await (await agent.call('alice', 'GET', '/chats/c1')).json()) as { messages: { content: string }[] };
    expect(chat.messages.map(({ content }) => content)).toEqual([
      ...['Hello', 'You said 1 things.'],
      ...['Again', 'You said 3 things.'],
    ]);
  });

  // Holds the agent to the contract: verifies('ag-ui.events')
  // Fails when components are lost, run together, or mixed with the reasoning.
  it('makes Markdown of components, reasoning of thinking, and custom events of the rest', async () => {
    await using agent = await openTestAgent({
      ...AG_UI,
      async *handler() {
        yield thinking('Hm.');
        yield 'Look:';
        yield* table(['a'], [['1']]);
        yield code('x = 1', 'py');
        yield status('Almost');
        yield step('Looked', { id: 's1', tool_name: 'look', args: { at: 'sky' }, ok: false, result: 'dark' });
        yield step('Thought');
        yield callout('Done', 'success');
      },
    });
    const { say, of } = connect(agent, 'alice');
    const { newMessages } = await say('Go');
    const text = textsOf(newMessages).join('\n');
    expect(text).toContain('Look:\n\n| a |');
    expect(text).toContain('```py\nx = 1\n```');
    expect(text).toContain('> ');
    expect(newMessages.filter(({ role }) => role === 'reasoning')).toMatchObject([{ content: 'Hm.' }]);
    expect(of(EventType.TOOL_CALL_ARGS)).toMatchObject([{ toolCallId: 's1', delta: '{"at":"sky"}' }]);
    expect(of(EventType.TOOL_CALL_RESULT)).toMatchObject([{ content: 'dark', metadata: { isError: true } }]);
    expect(of(EventType.STEP_FINISHED)).toMatchObject([{ stepName: 'Thought' }]);
    expect(of(EventType.CUSTOM)).toMatchObject([{ name: 'status', value: { status: 'Almost' } }]);
  });

  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    risk: 'read',
    input: z.object({ at: z.string() }),
    run: ({ at }) => `seen ${at}`,
  });

  // Fails when a call has no arguments or result, or has them twice.
  it('shows tool calls with their arguments and results', async () => {
    const model = [{ text: 'I look.', calls: [{ tool: 'look', args: { at: 'sky' } }] }, 'Blue.'];
    await using agent = await openLoopAgent(model, { ...AG_UI, tools: [look] });
    const { say, of } = connect(agent, 'alice');
    const { newMessages } = await say('Go');
    expect(newMessages.map(({ role }) => role)).toEqual(['assistant', 'assistant', 'tool', 'assistant']);
    const [call] = newMessages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    expect(call?.function).toEqual({ name: 'look', arguments: '{"at":"sky"}' });
    expect(newMessages[2]).toMatchObject({ toolCallId: call?.id, content: 'seen sky' });
    expect(textsOf(newMessages).at(-1)).toBe('Blue.');
    expect(of(EventType.RUN_FINISHED)).toMatchObject([{ outcome: { type: 'success' } }]);
  });

  // Holds the agent to the contract: verifies('ag-ui.sub-agents')
  // Fails when a sub-agent's steps look like the agent's own.
  it('shows a sub-agent and what it does', async () => {
    const child = scripted([{ calls: [{ tool: 'look', args: { at: 'shelf' } }] }, '7.']);
    const warehouse = subAgent({ name: 'warehouse', description: 'Knows the stock.', model: child, tools: [look] });
    const model = [{ calls: [{ tool: 'warehouse', args: { task: 'lamps?' } }] }, 'Yes.'];
    await using agent = await openLoopAgent(model, { ...AG_UI, tools: [warehouse] });
    const { say, of } = connect(agent, 'alice');
    expect(textsOf((await say('Lamps?')).newMessages).at(-1)).toBe('Yes.');
    const [started] = of(EventType.SUBAGENT_STARTED);
    expect(started).toMatchObject({ name: 'warehouse' });
    const calls = of(EventType.TOOL_CALL_START);
    expect(calls.map(({ toolCallName, subagentRunId }) => [toolCallName, subagentRunId])).toEqual([
      ['warehouse', undefined],
      ['look', started?.['subagentRunId']],
    ]);
    expect(started?.['parentToolCallId']).toBe(calls[0]?.['toolCallId']);
    expect(of(EventType.SUBAGENT_FINISHED)).toHaveLength(1);
  });

  // Holds the agent to the contract: verifies('ag-ui.approval')
  // Fails when a call runs before the person has decided, after a refusal, or a message of theirs is made up.
  it.each([
    [{ status: 'resolved', payload: { approved: true } }, 1],
    [{ status: 'resolved', payload: { approved: false } }, 0],
    [{ status: 'resolved', payload: 'yes' }, 0],
    [{ status: 'cancelled' }, 0],
  ] as const)('interrupts for an approval, and goes on after %j', async (answer, count) => {
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([callWipe, 'Well.'], { ...AG_UI, tools: [tool] });
    const { say, client, of } = connect(agent, 'alice');
    await say('Wipe');
    const [interrupt] = client.pendingInterrupts;
    expect(interrupt).toMatchObject({ message: 'Wipe disk', metadata: { tool: 'wipe', args: { what: 'disk' } } });
    expect(runs).toHaveLength(0);
    const resume = [{ interruptId: String(interrupt?.id), ...answer }];
    const { newMessages } = await client.runAgent({ resume });
    expect(runs).toHaveLength(count);
    expect(textsOf(newMessages).at(-1)).toBe('Well.');
    expect(of(EventType.TOOL_CALL_START)).toHaveLength(1);
    expect(of(EventType.TOOL_CALL_RESULT)).toMatchObject([{ toolCallId: interrupt?.toolCallId }]);
    expect(client.pendingInterrupts).toEqual([]);
    const chat = (await (await agent.call('alice', 'GET', '/chats/c1')).json()) as { messages: { role: string }[] };
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  // Fails when the decision of one person counts for the call of another.
  it('refuses a decision on somebody else’s call', async () => {
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([callWipe, 'Well.'], { ...AG_UI, tools: [tool] });
    const alice = connect(agent, 'alice');
    await alice.say('Wipe');
    const interruptId = String(alice.client.pendingInterrupts[0]?.id);
    const bob = connect(agent, 'bob');
    const resume = [{ interruptId, status: 'resolved' as const, payload: { approved: true } }];
    await expect(bob.client.runAgent({ resume })).rejects.toThrow('404');
    expect(runs).toHaveLength(0);
  });

  // Holds the agent to the contract: verifies('ag-ui.stop')
  // Fails when a client that left keeps the turn running.
  it('stops the turn when the client aborts', async () => {
    let isStopped = false;
    await using agent = await openTestAgent({
      ...AG_UI,
      async *handler({ signal }) {
        yield 'Waiting';
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        isStopped = true;
      },
    });
    const { say, client, events } = connect(agent, 'alice');
    const run = say('Wait').catch(() => undefined);
    await waitUntil('text is there', () => events.some(({ type }) => type === EventType.TEXT_MESSAGE_CONTENT));
    client.abortRun();
    await run;
    await waitUntil('the turn is stopped', () => isStopped);
  });

  // Fails when a failed turn looks like one that succeeded, or shows the error's own text.
  it('ends a failed turn with an error that names a reference', async () => {
    await using agent = await openTestAgent({
      ...AG_UI,
      // biome-ignore lint/correctness/useYield: it fails before it says anything
      async *handler() {
        throw new Error('secret');
      },
    });
    const { say, events } = connect(agent, 'alice');
    await say('Go').catch(() => undefined);
    expect(events.at(-1)).toMatchObject({ type: EventType.RUN_ERROR, message: expect.stringMatching(/[0-9a-f]{8}$/) });
    expect(JSON.stringify(events)).not.toContain('secret');
  });
});

describe('an agent without sign-in', () => {
  // Fails when the conversation that the client sends is not taken.
  it('answers with the conversation that the client has', async () => {
    await using agent = await openTestAgent({
      ...AG_UI,
      hasAuth: false,
      async *handler({ messages }) {
        yield messages.map(({ content }) => content).join(' | ');
      },
    });
    const { say } = connect(agent, undefined);
    await say('One');
    expect(textsOf((await say('Two')).newMessages)).toEqual(['One | One | Two']);
  });
});

describe('what can’t be honored', () => {
  const input = { threadId: 'c1', runId: 'r1', state: {}, messages: [{ id: 'm', role: 'user', content: 'Hi' }] };
  const body = { ...input, tools: [], context: [] };
  // Holds the agent to the contract: verifies('ag-ui.refused')
  // Fails when a wrong request begins a turn.
  it.each([
    ['tools of the page', { tools: [{ name: 't', description: 'd', parameters: {} }] }, 'tools'],
    ['a thread id that is none of a chat', { threadId: 'a/b' }, 'threadId'],
    ['no message', { messages: [] }, 'messages'],
    ['wrong messages', { messages: [{ role: 'nobody' }] }, 'messages'],
  ])('%s is 422', async (_what, change, field) => {
    await using agent = await openTestAgent(AG_UI);
    const response = await agent.call('alice', 'POST', '/ag-ui', { ...body, ...change });
    expect(response.status).toBe(422);
    expect(JSON.stringify(await response.json())).toContain(field);
    expect(await (await agent.call('alice', 'GET', '/chats')).json()).toEqual([]);
  });

  it('a caller without a token is 401', async () => {
    await using agent = await openTestAgent(AG_UI);
    expect((await agent.call(undefined, 'POST', '/ag-ui', body)).status).toBe(401);
  });
});
