import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** An MCP server of the current protocol revision, built with the official SDK. */
export interface CurrentServer extends AsyncDisposable {
  readonly url: string;
  readonly headers: Headers[];
  /** The JSON-RPC messages that came. */
  readonly messages: unknown[];
}

/** Creates the handler of the server's requests. */
export function createCurrentHandler() {
  return createMcpHandler(() => {
    const server = new McpServer({ name: 'current', version: '1' });
    const input = { a: z.number(), b: z.number() };
    server.registerTool(
      'add',
      { title: 'Add', inputSchema: input, annotations: { readOnlyHint: true } },
      ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }],
      }),
    );
    // This argument is also sent as a header, which proxies may read.
    const region = z.string().meta({ 'x-mcp-header': 'Region' });
    server.registerTool('where', { inputSchema: z.object({ region }) }, ({ region: place }) => ({
      content: [{ type: 'text', text: place }],
    }));
    server.registerTool('ask', { description: 'Asks back' }, () =>
      inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: 'Your password?',
            requestedSchema: { type: 'object', properties: { password: { type: 'string' } } },
          }),
        },
      }),
    );
    server.registerPrompt('greet', { description: 'Greets', argsSchema: { name: z.string() } }, ({ name }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
    }));
    return server;
  });
}

/** Starts the server on a loopback port. */
export async function serveCurrent(): Promise<CurrentServer> {
  const headers: Headers[] = [];
  const messages: unknown[] = [];
  const handler = createCurrentHandler();
  const server = serve({
    async fetch(request) {
      headers.push(request.headers);
      if (request.method === 'POST') messages.push(await request.clone().json());
      return handler.fetch(request);
    },
    hostname: '127.0.0.1',
    port: 0,
  });
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server does not listen');
  return {
    headers,
    messages,
    url: `http://127.0.0.1:${address.port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
