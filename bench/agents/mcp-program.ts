// An MCP server, in a process of its own: `node mcp-program.ts TOOLS` prints its address. It has that many tools, of the size
// that real ones have.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const tools = Array.from({ length: Number(process.argv[2]) }, (_, index) => ({
  name: `update_record_${index}`,
  title: `Update record ${index}`,
  description: `Changes the fields of record ${index} that are given, and leaves the others. ${'More about it. '.repeat(20)}`,
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Of the record' },
      fields: { type: 'object', additionalProperties: { type: 'string' } },
      note: { type: 'string', maxLength: 1_000 },
    },
    required: ['id'],
  },
}));
const answers: Record<string, unknown> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'measured', version: '1' },
  },
  'tools/list': { tools },
};

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const { id, method } = (await json(request)) as { id?: number; method: string };
  if (id === undefined) return response.writeHead(202).end();
  const result = answers[method];
  const error = { code: -32_601, message: 'Method not found' };
  response.writeHead(200, { 'Content-Type': 'application/json' });
  return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
