import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that no one ought to ask. */
export interface Sink extends AsyncDisposable {
  readonly origin: string;
  /** Paths that were asked for all the same. */
  readonly requests: readonly string[];
}

export async function openSink(): Promise<Sink> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
