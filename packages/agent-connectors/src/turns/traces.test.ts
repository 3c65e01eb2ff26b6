import { openTestSdk } from '@berth/agent-core/testing';
import { SpanKind } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { mcp } from '../declare/mcp.ts';
import { serveCurrent } from '../mcp/testing/serve-current.ts';
import { openConnectedAgent } from './testing/open-connected-agent.ts';

/** Fails when a request to an MCP server has no span, or a server of the owner's does not get the trace. */
test('requests to an MCP server are spans, and a server in the owner’s networks continues the trace', async () => {
  await using sdk = openTestSdk();
  await using server = await serveCurrent();
  const connectors = [mcp({ name: 'calc', title: 'Calc', url: server.url, auth: 'none', risks: { add: 'read' } })];
  const add = { calls: [{ tool: 'calc__add', args: { a: 2, b: 3 }, id: 'call-1' }] };
  await using fixture = await openConnectedAgent([add, 'Done.'], { connectors });
  await fixture.say('2 + 3?');
  const call = sdk.find('tools/call add');
  expect(call.kind).toBe(SpanKind.CLIENT);
  expect(sdk.above(call)).toEqual(['execute_tool calc__add', 'step', 'invoke_agent test-agent']);
  const { hostname, port } = new URL(server.url);
  expect(call.attributes).toMatchObject({
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'add',
    'server.address': hostname,
    'server.port': Number(port),
  });
  expect(sdk.find('execute_tool calc__add').attributes).toMatchObject({ 'berth.connector': 'calc' });
  sdk.find('tools/list');
  const { traceId, spanId } = call.spanContext();
  expect(server.headers.map((headers) => headers.get('traceparent'))).toContain(`00-${traceId}-${spanId}-01`);
  // Fails when the trace is not in the messages, where a server behind a proxy that drops headers reads it.
  const sent = server.messages as readonly { method: string; params?: { _meta?: object } }[];
  const asked = sent.filter(({ method }) => method === 'tools/call');
  expect(asked.map(({ params }) => params)).toMatchObject([
    { name: 'add', arguments: { a: 2, b: 3 }, _meta: { traceparent: `00-${traceId}-${spanId}-01` } },
  ]);
});
