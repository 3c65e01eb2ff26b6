import { Role, type Task, TaskState } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { HttpAgent } from '@ag-ui/client';
import { localhostFetch } from '@berth/client/node';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, expect, it } from 'vitest';
import { agentToken, deployAgent } from '../harness/agents.ts';
import { hostOf } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const NAME = 'agent-protocols';
const berth = useBerth();
let address: string;
let headers: Readonly<Record<string, string>>;

beforeAll(async () => {
  await deployAgent(berth, NAME, NAME);
  address = `http://${hostOf(berth, NAME)}`;
  headers = { Authorization: `Bearer ${await agentToken(berth, NAME)}` };
}, 180_000);

// Fails when the packed library lacks the SDK, or the agent gives an address other than its public one.
it('is an MCP server behind the gateway, and names its resource by its public address', async () => {
  const client = new Client({ name: 'acceptance', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const options = { fetch: localhostFetch, requestInit: { headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), options));
  const call = (message: string) => client.callTool({ name: 'ask_agent_protocols', arguments: { message } });
  expect((await call('Where is order 8?')).content).toEqual([{ type: 'text', text: 'Order 8 is on its way.' }]);
  expect((await call('Cancel order 8')).structuredContent).toMatchObject({ status: 'needs_approval' });
  await client.close();
  const refused = await localhostFetch(`${address}/mcp`, { method: 'POST' });
  const at = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
  expect(await (await localhostFetch(String(at))).json()).toMatchObject({ resource: `${address}/mcp` });
});

// Fails when the packed library lacks the SDK, or the stream is held back on its way.
it('answers AG-UI behind the gateway', async () => {
  const agent = new HttpAgent({ url: `${address}/ag-ui`, headers: { ...headers }, fetch: localhostFetch });
  agent.addMessage({ id: '1', role: 'user', content: 'Where is order 7?' });
  const { newMessages } = await agent.runAgent();
  expect(newMessages).toMatchObject([{ role: 'assistant', content: 'Order 7 is packed.' }]);
});

// Fails when the packed library lacks the SDK, or the card gives an address other than the public one.
it('is found by its card, and decides on a call by A2A', async () => {
  const fetchImpl: typeof fetch = (url, init) =>
    localhostFetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
  const client = await new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(address);
  const send = async (content: { $case: 'text'; value: string } | { $case: 'data'; value: object }, taskId = '') =>
    (await client.sendMessage({
      tenant: '',
      message: {
        ...{ messageId: crypto.randomUUID(), contextId: '', taskId, role: Role.ROLE_USER },
        parts: [{ content, metadata: undefined, filename: '', mediaType: '' }],
        ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
      },
      configuration: undefined,
      metadata: undefined,
    })) as Task;
  const task = await send({ $case: 'text', value: 'Cancel order 7' });
  expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const data = task.status?.message?.parts.find(({ content }) => content?.$case === 'data')?.content?.value;
  const decided = await send({ $case: 'data', value: { approvals: { [data.approvals[0].key]: true } } }, task.id);
  expect(decided.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(decided.artifacts.at(-1)?.parts[0]?.content?.value).toBe('Order 7 is canceled.');
});
