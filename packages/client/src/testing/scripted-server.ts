import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a handler sees it. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The whole body; a handler that never calls it leaves the body unread. */
  body(): Promise<Buffer>;
  json(): Promise<Record<string, unknown>>;
  form(): Promise<FormData>;
}

export type Handler = (exchange: Exchange) => void | Promise<void>;

/** A control plane that says what a test tells it to, over a real socket. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** `METHOD /path?query` of every request, in order. */
  readonly requests: readonly string[];
  /** Headers of every request, in order. */
  readonly headers: readonly IncomingMessage['headers'][];
  /** Sets the handler of `METHOD /path`; a path part `*` stands for any. */
  on(route: string, handler: Handler): void;
  close(): Promise<void>;
}

/** Routes without a handler answer 404 in the contract's form. `port` 0 takes a free one. */
export async function createScriptedServer(
  routes: Readonly<Record<string, Handler>> = {},
  port = 0,
): Promise<ScriptedServer> {
  const handlers = new Map(Object.entries(routes));
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server');
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    const handler =
      findHandler(handlers, request.method ?? 'GET', pathname) ?? answerJson(404, { detail: 'No such route.' });
    const exchange = createExchange(request, response, pathname, searchParams);
    Promise.resolve(handler(exchange)).catch((error: unknown) => response.destroy(error as Error));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(port, '127.0.0.1', resolve);
  await promise;
  const address = server.address() as AddressInfo;
  const close = async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    headers,
    on: (route, handler) => handlers.set(route, handler),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A handler that answers `value` with `status`. */
export function answerJson(status: number, value: unknown, headers: Record<string, string> = {}): Handler {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

function findHandler(handlers: ReadonlyMap<string, Handler>, method: string, path: string): Handler | undefined {
  const exact = handlers.get(`${method} ${path}`);
  if (exact) return exact;
  for (const [route, handler] of handlers) {
    const pattern = route.replace(/[.?]/g, '\\$&').replaceAll('*', '[^/]+');
    if (new RegExp(`^${pattern}$`).test(`${method} ${path}`)) return handler;
  }
  return undefined;
}

function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): Exchange {
  const body = async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };
  return {
    method: request.method ?? 'GET',
    path,
    query,
    request,
    response,
    body,
    json: async () => JSON.parse((await body()).toString()) as Record<string, unknown>,
    form: async () =>
      new Response(new Uint8Array(await body()), {
        headers: { 'content-type': request.headers['content-type'] ?? '' },
      }).formData(),
  };
}
