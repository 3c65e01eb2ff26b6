import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A REST API on loopback that accepts keys beginning with `good`, in `Authorization: Bearer`, `X-Api-Key` or `?key=`.
 */
export interface KeyServer extends AsyncDisposable {
  readonly url: string;
  /** Method, path and credential of each request. */
  readonly seen: string[];
  /** Failure to simulate: a status, or a closed connection. */
  trouble: number | 'silence' | undefined;
}

/** Starts a server that echoes the request headers as JSON, as an API that is careless with secrets does. */
export async function openKeyServer(): Promise<KeyServer> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const key =
      request.headers['x-api-key'] ?? url.searchParams.get('key') ?? request.headers.authorization?.split(' ')[1] ?? '';
    seen.push(`${request.method} ${request.url} ${key}`);
    if (one.trouble === 'silence') return void request.socket.destroy();
    const isGood = String(key).startsWith('good');
    response.writeHead(one.trouble ?? (isGood ? 200 : 401), { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ path: url.pathname, headers: request.headers }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const one: KeyServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    trouble: undefined,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return one;
}
