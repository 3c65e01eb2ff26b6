import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request that the API received. */
export interface AskedCall {
  readonly method: string;
  /** The request target, unparsed. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A third-party API on a loopback socket. */
export interface TestApi extends AsyncDisposable {
  readonly url: string;
  /** Calls whose body has been received, oldest first. */
  readonly asked: AskedCall[];
  /** Sets the handler of later requests; initially the API answers `{"ok":true}`. */
  answer(listener: (request: IncomingMessage, response: ServerResponse, call: AskedCall) => unknown): void;
}

/** Starts a test API. */
export async function openApi(host = '127.0.0.1'): Promise<TestApi> {
  const asked: AskedCall[] = [];
  const first: Parameters<TestApi['answer']>[0] = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  let listener = first;
  const onRequest: RequestListener = (incoming, response) => {
    buffer(incoming).then(
      (body) => {
        const { method = '', url: target = '', headers } = incoming;
        const call = { method, target, headers, body: body.toString('latin1') };
        asked.push(call);
        listener(incoming, response, call);
      },
      () => {},
    );
  };
  const server = createServer(onRequest).listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    asked,
    answer(next) {
      listener = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Sends a request whose target isn't normalized. */
export function askRaw(
  url: string,
  target: string,
  options: { method?: string; headers?: Record<string, string>; body?: Buffer } = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  const { hostname, port } = new URL(url);
  const { method = 'GET', headers = {}, body } = options;
  // Node adds no Content-Length for methods that usually have no body.
  const length = body ? { 'content-length': String(body.length) } : {};
  return new Promise((resolve, reject) => {
    const outgoing = request({
      agent: false,
      host: hostname,
      port,
      method,
      path: target,
      headers: { ...length, ...headers },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      buffer(incoming).then((bytes) => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: bytes.toString('latin1') });
      }, reject);
    });
    outgoing.end(body);
  });
}
