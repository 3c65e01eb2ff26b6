import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A protocol request, as it was received. */
export interface Asked {
  readonly method: string;
  readonly id?: number | string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * The response to a method: `undefined` never answers; a function takes over the response; anything else is the result.
 */
export type Answer =
  | ((response: ServerResponse, asked: Asked, request: IncomingMessage) => unknown)
  | Readonly<Record<string, unknown>>
  | undefined;

/** Responses by method; may be changed while the server runs. Methods without an entry get a valid response. */
export type Script = Record<string, Answer>;

/** A scripted MCP server of the revision 2025-11-25 on a loopback socket. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly script: Script;
  /** Requests in the order they were received. */
  readonly asked: Asked[];
  readonly headers: IncomingMessage['headers'][];
  /** Ids of the sessions that were ended. */
  readonly ended: unknown[];
}

const GOOD: Script = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: 'scripted', version: '1' },
  },
  'tools/list': { tools: [{ name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } }] },
  'prompts/list': { prompts: [] },
};

/** Starts a scripted MCP server. */
export async function serveMcp(script: Script = {}): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const ended: unknown[] = [];
  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    if (request.method === 'DELETE') ended.push(request.headers['mcp-session-id']);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = (await json(request).catch(() => ({}))) as Asked;
    asked.push(message);
    const isScripted = Object.hasOwn(script, message.method);
    const answer = isScripted ? script[message.method] : GOOD[message.method];
    if (typeof answer === 'function') return answer(response, message, request);
    if (message.id === undefined) return response.writeHead(202).end();
    if (answer !== undefined) return sendResult(response, message, answer);
    if (isScripted) return undefined;
    return send(response, { jsonrpc: '2.0', id: message.id, error: { code: -32_601, message: 'Method not found' } });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    script,
    asked,
    headers,
    ended,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends the result of a request. */
export function sendResult(response: ServerResponse, { id }: Asked, result: unknown): void {
  send(response, { jsonrpc: '2.0', id, result });
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Begins an event stream and writes each message to it. */
export function stream(response: ServerResponse, ...messages: readonly unknown[]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
  return response;
}
