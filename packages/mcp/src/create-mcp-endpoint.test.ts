import { createClient } from '@berth/client';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, it } from 'vitest';
import { createMcpEndpoint } from './create-mcp-endpoint.ts';
import { MCP_LIMITS } from './tool/limits.ts';

/** Answers of the API by method and path. */
type Answers = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>;

const clock = createSystemClock();
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

/** Connects the official client to an endpoint whose API gives these answers. */
async function connect(answers: Answers) {
  const endpoint = createMcpEndpoint({ version: '1.0.0', clock, logger: createSilentLogger() });
  const asked: string[] = [];
  const api = createClient({
    baseUrl: 'http://berth.test',
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const route = `${request.method} ${new URL(request.url).pathname}`;
      asked.push(route);
      return (await answers[route]?.(request)) ?? Response.json({ detail: `No route ${route}.` }, { status: 404 });
    },
  });
  const access = { client: api, transfer: async () => new Response(null, { status: 404 }) };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StreamableHTTPClientTransport(new URL('http://berth.test/mcp'), {
    fetch: (url, init) => endpoint.fetch(new Request(url, init), access),
  });
  await client.connect(transport);
  closing.push(() => client.close(), endpoint.close);
  return { client, asked, endpoint, access };
}

const textOf = ({ content }: { readonly content?: unknown }) => (content as { readonly text: string }[])[0]?.text ?? '';

// Fails when a tool lacks what clients show and decide by.
it('describes every tool with a title, schemas and annotations, and none that needs the machine of the person', async () => {
  const { client } = await connect({});
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('deploy_folder');
  expect(tools.length).toBeGreaterThan(12);
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    expect(title, name).toBeTruthy();
    expect(description?.length, name).toBeGreaterThan(20);
    expect(inputSchema.type, name).toBe('object');
    expect(outputSchema?.type, name).toBe('object');
    const isReading = /^(list|get|read)_|^run_sql$/.test(name);
    expect(annotations, name).toMatchObject({
      readOnlyHint: isReading,
      destructiveHint: !isReading,
      idempotentHint: expect.any(Boolean),
      openWorldHint: false,
    });
  }
});

// Fails when a newer platform's fields reach a client that validates results.
it('returns only the fields of the schema', async () => {
  const volume = { name: 'data', attached_to: [], created_at: '2026-01-01T00:00:00Z', size_bytes: 1, object_count: 1 };
  const { client } = await connect({ 'GET /v1/volume/list': () => Response.json([{ ...volume, secret: 'x' }]) });
  const result = await client.callTool({ name: 'list_volumes', arguments: {} });
  expect(result.structuredContent).toEqual({ volumes: [volume] });
  expect(JSON.parse(textOf(result))).toEqual({ volumes: [volume] });
});

// Fails when a refusal loses its reason, or an internal error shows its cause.
it('says what failed and what to do next', async () => {
  const { client } = await connect({
    'GET /v1/volume/list': () => Response.json({ detail: 'This credential lacks the scope "read".' }, { status: 403 }),
    'GET /v1/deployment/list': () => Response.json({ detail: 'at /secret/path' }, { status: 500 }),
  });
  const refused = await client.callTool({ name: 'list_volumes', arguments: {} });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toContain('lacks the scope "read"');
  expect(textOf(refused)).toContain('Ask the person');
  const failed = await client.callTool({ name: 'list_services', arguments: {} });
  expect(failed.isError).toBe(true);
  expect(textOf(failed)).not.toContain('/secret/path');
});

it.each([
  ['outside the project', [{ path: '../etc/passwd', text: 'x' }], 'not a relative path'],
  ['absolute', [{ path: '/etc/passwd', text: 'x' }], 'not a relative path'],
  ['with a backslash', [{ path: 'a\\b', text: 'x' }], 'not a relative path'],
  [
    'given twice',
    [
      { path: 'a', text: 'x' },
      { path: 'a', text: 'y' },
    ],
    'given twice',
  ],
  ['without content', [{ path: 'a' }], 'text or base64'],
])('refuses to deploy a file %s', async (_, files, problem) => {
  const { client, asked } = await connect({});
  const result = await client.callTool({ name: 'deploy_files', arguments: { service: 'shop', files } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain(problem);
  expect(asked).toEqual([]);
});

// Fails when the sum of the files isn't checked before they are packed.
it('refuses files that are too large together, and too large requests', async () => {
  const { client, endpoint, access, asked } = await connect({});
  const half = 'x'.repeat(MCP_LIMITS.filesBytes / 2 + 1);
  const files = ['a', 'b'].map((path) => ({ path, text: half }));
  const result = await client.callTool({ name: 'deploy_files', arguments: { service: 'shop', files } });
  expect(textOf(result)).toContain('more than 10 MiB');
  expect(asked).toEqual([]);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(MCP_LIMITS.requestBytes) });
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const request = new Request('http://berth.test/mcp', { method: 'POST', headers, body });
  expect((await endpoint.fetch(request, access)).status).toBe(413);
});

// Fails when a long log line or result reaches the model whole.
it('cuts long messages and results', async () => {
  const message = 'm'.repeat(MCP_LIMITS.messageCharacters + 1);
  const logs = Array.from({ length: 200 }, (_, n) => ({
    timestamp: new Date(n).toISOString(),
    severity: 'INFO',
    message,
  }));
  const { client } = await connect({
    'POST /v1/deployment/logs': () => Response.json({ logs, cursor: logs.at(-1)?.timestamp }),
    'POST /v1/sql': () => Response.json(Array.from({ length: MCP_LIMITS.sqlRows + 1 }, (_, n) => ({ n }))),
  });
  const read = async (since?: string) =>
    (await client.callTool({ name: 'read_logs', arguments: { service: 'shop', ...(since && { since }) } }))
      .structuredContent as { entries: { timestamp: string; message: string }[]; cursor: string; is_cut: boolean };
  const newest = await read();
  expect(newest.entries[0]?.message).toHaveLength(MCP_LIMITS.messageCharacters);
  expect(newest.entries.length).toBeLessThan(logs.length);
  expect(newest).toMatchObject({ cursor: logs.at(-1)?.timestamp, is_cut: true });
  expect(newest.entries.at(-1)?.timestamp).toBe(logs.at(-1)?.timestamp);
  // Going on from a cursor, nothing between the last entry and the cursor is lost.
  const next = await read(new Date(0).toISOString());
  expect(next.cursor).toBe(next.entries.at(-1)?.timestamp);
  const { structuredContent } = await client.callTool({ name: 'run_sql', arguments: { query: 'SELECT 1' } });
  expect(structuredContent).toMatchObject({ is_cut: true });
  expect((structuredContent as { rows: unknown[] }).rows).toHaveLength(MCP_LIMITS.sqlRows);
});

// Fails when a name the model was talked into calling reaches the API.
it('has no other tools, whatever is asked for', async () => {
  const { client, asked } = await connect({});
  await expect(client.callTool({ name: 'delete_service', arguments: { service: 'shop' } })).rejects.toThrow();
  const odd = await client.callTool({ name: 'get_service', arguments: { service: '../user/keys' } });
  expect(odd.isError).toBe(true);
  expect(asked).toEqual(['GET /v1/deployment/..%2Fuser%2Fkeys']);
});
