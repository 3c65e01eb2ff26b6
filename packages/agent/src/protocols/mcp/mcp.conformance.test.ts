import { defineTool } from '@berth/agent-core';
import { waitUntil } from '@berth/testkit';
import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callWipe, wipe } from '../../approvals/testing/wipe.ts';
import { oidc } from '../../auth/oidc.ts';
import { openLoopAgent } from '../../loop/testing/open-loop-agent.ts';
import { openTestAgent, type TestAgent } from '../../testing/open-test-agent.ts';

const MCP = { protocols: { mcp: true } } as const;
const TOOL = 'ask_test_agent';

/** Connects the current SDK's client; `decide` answers its forms. */
async function connect({ url }: TestAgent, token?: string, decide?: () => ElicitResult) {
  const client = new Client(
    { name: 'conformance', version: '1' },
    { versionNegotiation: { mode: 'auto' }, ...(decide && { capabilities: { elicitation: { form: {} } } }) },
  );
  if (decide) client.setRequestHandler('elicitation/create', decide);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: headersOf(token) }));
  return client;
}

async function connectEarlier({ url }: TestAgent, token?: string) {
  const client = new EarlierClient({ name: 'conformance', version: '1' });
  await client.connect(new EarlierTransport(new URL(`${url}/mcp`), { requestInit: headersOf(token) }) as never);
  return client;
}

const headersOf = (token?: string) => ({ headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });

const chatIds = async (agent: TestAgent, token: string) =>
  ((await (await agent.call(token, 'GET', '/chats')).json()) as { readonly id: string }[]).map(({ id }) => id);

describe.each([
  ['the client of the current revision', connect],
  ['the client of the revisions of 2025', connectEarlier],
])('an agent as an MCP server, with %s', (_name, open) => {
  // Holds the agent to the contract: verifies('mcp.tool')
  // Fails when the answer is not of a stored chat, or chat_id begins a new one.
  it('lists one tool, answers, and goes on with the conversation', async () => {
    await using agent = await openTestAgent({ ...MCP, title: 'Echo', description: 'Repeats.' });
    const client = await open(agent, 'alice');
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: TOOL, title: 'Echo', description: 'Repeats.' }]);
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['message', 'chat_id']);
    const first = await client.callTool({ name: TOOL, arguments: { message: 'Hello' } });
    expect(first).toMatchObject({
      content: [{ type: 'text', text: 'You said: Hello' }],
      structuredContent: { status: 'done', text: 'You said: Hello', approvals: [] },
    });
    const { chat_id } = first.structuredContent as { chat_id: string };
    await client.callTool({ name: TOOL, arguments: { message: 'Again', chat_id } });
    expect(await chatIds(agent, 'alice')).toEqual([chat_id]);
    const chat = (await (await agent.call('alice', 'GET', `/chats/${chat_id}`)).json()) as { messages: unknown[] };
    expect(chat.messages).toHaveLength(4);
    await client.close();
  });

  // Holds the agent to the contract: verifies('mcp.people')
  // Fails when one person's conversation is open to another, or a token is not required.
  it('keeps people apart and refuses callers without a token', async () => {
    await using agent = await openTestAgent(MCP);
    const [alice, bob] = [await open(agent, 'alice'), await open(agent, 'bob')];
    await alice.callTool({ name: TOOL, arguments: { message: 'Mine', chat_id: 'same' } });
    await bob.callTool({ name: TOOL, arguments: { message: 'Also mine', chat_id: 'same' } });
    const chat = await (await agent.call('bob', 'GET', '/chats/same')).text();
    expect(chat).not.toContain('You said: Mine');
    await expect(open(agent)).rejects.toThrow();
    await Promise.all([alice.close(), bob.close()]);
  });

  // Fails when steps are not reported while the turn runs.
  it('reports steps as progress', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      risk: 'read',
      input: z.object({}),
      run: () => 'seen',
    });
    await using agent = await openLoopAgent([{ calls: [{ tool: 'look', args: {} }] }, 'Done.'], {
      ...MCP,
      tools: [look],
    });
    const client = await open(agent, 'alice');
    const seen: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void seen.push(message);
    const call = { name: TOOL, arguments: { message: 'Look' } };
    const result =
      client instanceof Client
        ? await client.callTool(call, { onprogress })
        : await client.callTool(call, undefined, { onprogress });
    expect(result.structuredContent).toMatchObject({ text: 'Done.' });
    expect(seen).toEqual([expect.stringMatching(/look/i)]);
    await client.close();
  });

  // Fails when a client without forms is told that the call ran, or approving by the API changes nothing.
  it('says what waits for approval, and goes on when the person has approved', async () => {
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([callWipe, 'Wiped.'], { ...MCP, tools: [tool] });
    const client = await open(agent, 'alice');
    const asked = await client.callTool({ name: TOOL, arguments: { message: 'Wipe', chat_id: 'c1' } });
    expect(asked.structuredContent).toMatchObject({
      chat_id: 'c1',
      status: 'needs_approval',
      approvals: [{ tool: 'wipe', label: 'Wipe disk', args: { what: 'disk' } }],
    });
    // The model behind the client must not be able to approve by itself.
    expect(JSON.stringify(asked)).not.toContain('key');
    const [waiting] = (await (await agent.call('alice', 'GET', '/chats/c1/approvals')).json()) as { key: string }[];
    await agent.call('alice', 'POST', `/chats/c1/approvals/${waiting?.key}`, { decision: 'approve', resume: false });
    const done = await client.callTool({ name: TOOL, arguments: { message: 'Approved', chat_id: 'c1' } });
    expect(done.structuredContent).toMatchObject({ status: 'done', text: 'Wiped.' });
    expect(runs).toHaveLength(1);
    await client.close();
  });

  // Holds the agent to the contract: verifies('mcp.cancel')
  // Fails when a client that gave up leaves the turn running.
  it('stops the turn when the client cancels', async () => {
    let isRunning = false;
    let isStopped = false;
    await using agent = await openTestAgent({
      ...MCP,
      async *handler({ signal }) {
        yield 'Waiting';
        isRunning = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        isStopped = true;
      },
    });
    const client = await open(agent, 'alice');
    const cancel = new AbortController();
    const call = { name: TOOL, arguments: { message: 'Wait', chat_id: 'c1' } };
    const options = { signal: cancel.signal };
    const result =
      client instanceof Client ? client.callTool(call, options) : client.callTool(call, undefined, options);
    const failed = expect(result).rejects.toThrow();
    await waitUntil('the turn runs', () => isRunning);
    cancel.abort();
    await failed;
    // The earlier revisions cancel by a message of its own, which no session connects with the call; they disconnect, too.
    await client.close();
    await waitUntil('the turn is stopped', () => isStopped);
  });
});

describe('approval by the client’s form', () => {
  const openWith = async (decide: () => ElicitResult) => {
    const { tool, runs } = wipe();
    const agent = await openLoopAgent([callWipe, 'Well.'], { ...MCP, tools: [tool] });
    const client = await connect(agent, 'alice', decide);
    const call = () => client.callTool({ name: TOOL, arguments: { message: 'Wipe', chat_id: 'c1' } });
    return { agent, client, call, runs };
  };

  // Holds the agent to the contract: verifies('mcp.approval')
  // Fails when the form's answer is not looked at: a refused call must not run.
  it.each([
    [{ action: 'accept', content: { approve: true } }, 1, 'done'],
    [{ action: 'accept', content: { approve: false } }, 0, 'done'],
    [{ action: 'decline' }, 0, 'done'],
    [{ action: 'cancel' }, 0, 'needs_approval'],
  ] as const)('%j', async (decision, count, status) => {
    const { agent, client, call, runs } = await openWith(() => decision);
    await using _agent = agent;
    expect((await call()).structuredContent).toMatchObject({ status });
    expect(runs).toHaveLength(count);
    await client.close();
  });
});

describe('an agent without sign-in', () => {
  // Fails when it offers to go on with a conversation that no one keeps.
  it('answers without a token and keeps nothing', async () => {
    await using agent = await openTestAgent({ ...MCP, hasAuth: false });
    const client = await connect(agent);
    const { tools } = await client.listTools();
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['message']);
    const result = await client.callTool({ name: TOOL, arguments: { message: 'Hello' } });
    expect(result.content).toEqual([{ type: 'text', text: 'You said: Hello' }]);
    await client.close();
  });
});

describe('authorization', () => {
  // Holds the agent to the contract: verifies('mcp.metadata')
  // Fails when the challenge or the metadata is missing: clients would not find where to sign in.
  it('names the issuer in the metadata that the challenge points to', async () => {
    const auth = oidc({ issuer: 'https://login.example.com', audience: 'x', jwks: { keys: [] } });
    await using agent = await openTestAgent({ ...MCP, auth });
    const refused = await agent.call(undefined, 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(refused.status).toBe(401);
    const at = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
    expect(at).toBe(`${agent.url}/.well-known/oauth-protected-resource/mcp`);
    expect(await (await fetch(String(at))).json()).toMatchObject({
      resource: `${agent.url}/mcp`,
      authorization_servers: ['https://login.example.com'],
    });
  });

  // Fails when the route is there without the option.
  it('has no route without the option', async () => {
    await using agent = await openTestAgent();
    expect((await agent.call('alice', 'POST', '/mcp', {})).status).toBe(404);
  });
});

describe('wrong options', () => {
  it.each([
    [{ mpc: true }, 'no "mpc"'],
    [{ mcp: 'yes' }, 'protocols.mcp is true or false'],
  ])('%j is refused', async (protocols, message) => {
    await expect(openTestAgent({ protocols } as object)).rejects.toThrow(message);
  });
});
