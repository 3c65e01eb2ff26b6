import type { AddressInfo } from 'node:net';
import { createSystemClock } from '@berth/kit';
import { createFrontServer } from '../front/create-front-server.ts';
import { createWorkerGateway } from '../workers/create-worker-gateway.ts';
import { createProcessPort } from '../workers/process-port.ts';

// A worker process. On the message `{ listen: port }` it listens on that port, which workers share, reports the port, and serves
// `<deployment>.<anything>`.
const worker = createWorkerGateway({ port: createProcessPort(process, 'gateway'), clock: createSystemClock() });
const front = createFrontServer({
  onRequest: (request, response) => worker.handleRequest(nameOf(request.headers.host), request, response),
  onUpgrade: (request, socket, head) => worker.handleUpgrade(nameOf(request.headers.host), request, socket, head),
});

process.on('message', (message: { readonly listen?: number }) => {
  if (message.listen === undefined) return;
  const { listen: port } = message;
  void worker.ready.then(() => {
    front.server.listen({ port, host: '127.0.0.1', reusePort: true }, () => {
      process.send?.({ listening: (front.server.address() as AddressInfo).port });
    });
  });
});
process.on('disconnect', () => process.exit());

function nameOf(host = ''): string {
  return host.split(/[.:]/)[0] ?? '';
}
