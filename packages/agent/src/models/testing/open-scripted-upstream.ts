import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent; tests look at what they expect.
  readonly body: any;
}

export interface ScriptedUpstream extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Connections that were opened. */
  readonly connections: number;
  /** Connections that were closed before their answer was out. */
  readonly aborted: number;
}

export type UpstreamAnswer = (response: ServerResponse, request: SeenRequest) => unknown;

/** A model's server on a real socket: its n-th request gets the n-th answer, further ones the last. */
export async function openScriptedUpstream(...answers: readonly UpstreamAnswer[]): Promise<ScriptedUpstream> {
  const seen: SeenRequest[] = [];
  const count = { connections: 0, aborted: 0 };
  const server = createServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) count.aborted++;
    });
    const body = JSON.parse(await text(request));
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push({ path: request.url ?? '', headers: request.headers, body });
    await answer?.(response, seen.at(-1) as SeenRequest);
  });
  server.on('connection', () => count.connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get connections() {
      return count.connections;
    },
    get aborted() {
      return count.aborted;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The events, each in a packet of its own unless `packets` says where they are cut. */
export function sse(events: readonly unknown[], cut?: (whole: string) => readonly string[]): UpstreamAnswer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const lines = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    for (const packet of cut ? cut(lines.join('')) : lines) {
      response.write(packet);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

export function refuse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): UpstreamAnswer {
  return (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
}
