import type { ScriptedStep } from '@berth/agent';
import { framesOf, readTurn } from '@berth/agent/testing';
import type { Chat } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { mcp } from '../declare/mcp.ts';
import { sendResult, serveMcp } from '../mcp/testing/serve-mcp.ts';
import { openConnectedAgent } from './testing/open-connected-agent.ts';

const call = { text: 'I look.', calls: [{ tool: 'crm__find', args: { name: 'Ada' } }] };

/** An agent whose CRM has just refused its key, so that the answer ends with a `connect` card. */
async function openRefused(options: object = {}) {
  const server = await serveMcp({
    'tools/list': { tools: [{ name: 'find', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] },
    'tools/call': (response, asked, { headers }) =>
      headers.authorization === 'Bearer old-key-123'
        ? response.writeHead(401).end()
        : sendResult(response, asked, { content: [{ type: 'text', text: 'Ada is here' }] }),
  });
  const steps: ScriptedStep[] = [
    ({ messages }) => {
      const last = JSON.stringify(messages.at(-1));
      if (last.includes('Ada is here')) return 'Found her.';
      return last.includes('thanks') ? 'You are welcome.' : call;
    },
  ];
  const crm = mcp({ name: 'crm', title: 'CRM', url: server.url, auth: { type: 'key' }, risks: { find: 'read' } });
  const agent = await openConnectedAgent(steps, { connectors: [crm], ...options });
  const connect = async (key: string) =>
    expect((await agent.call('alice', 'PUT', '/connectors/crm/key', { key })).status).toBe(200);
  await connect('old-key-123');
  const refused = await agent.say('who is Ada?');
  expect(framesOf(refused, 'ui')).toMatchObject([{ action: 'connect', connector: 'crm' }]);
  return {
    ...agent,
    server,
    connect,
    goOn: (token = 'alice', chatId = 'c1') => agent.call(token, 'POST', `/chats/${chatId}/continue`, {}),
    read: async () => (await (await agent.call('alice', 'GET', '/chats/c1')).json()) as Chat,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

// Fails when a message of the person is made up, or the model isn't told that it can call again.
test('an answer that needed a connection continues once, without a message of the person', async () => {
  await using agent = await openRefused();
  await agent.connect('new-key-123');
  const both = await Promise.all([agent.goOn(), agent.goOn()]);
  const runs = (await Promise.all(both.map((response) => response.json()))).flatMap(({ run }) => run ?? []);
  expect(new Set(runs).size).toBe(1);
  const turn = await readTurn(await agent.call('alice', 'GET', '/chats/c1/stream'));
  expect([turn.ids[0], turn.text]).toEqual([`${runs[0]}:1`, 'I look.Found her.']);
  const { messages } = await agent.read();
  expect(messages.map(({ role, content }) => [role, role === 'user' && content])).toEqual([
    ['user', 'who is Ada?'],
    ['assistant', false],
  ]);
  expect(JSON.stringify(agent.asked.at(2)?.messages)).toContain('has connected what the calls above needed');
  // It has ended without a card.
  expect((await agent.goOn()).status).toBe(409);
});

test('no other answer continues, and none of another person', async () => {
  await using agent = await openRefused();
  const asked = agent.asked.length;
  expect([(await agent.goOn('bob')).status, (await agent.goOn('alice', 'none')).status]).toEqual([404, 404]);
  await agent.say('thanks');
  expect((await agent.goOn()).status).toBe(409);
  expect(agent.asked).toHaveLength(asked + 1);
});

test("an agent that can't continue on its own says so, and does nothing", async () => {
  await using agent = await openRefused({ resume: false });
  const response = await agent.goOn();
  expect([response.status, (await response.json()).detail]).toEqual([
    409,
    "This answer can't be continued. Send a message instead.",
  ]);
  expect((await agent.read()).messages).toHaveLength(2);
});
