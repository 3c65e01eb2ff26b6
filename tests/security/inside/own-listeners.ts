import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** What the hostile program's own listeners answer; controls connect to them. */
export const OWN_ANSWER = 'answered by the hostile program itself';

/** Ports of the listeners, above those that instances are given and below those of outgoing connections. */
export const OWN_TCP_PORT = 30_417;
export const OWN_UDP_PORT = 30_418;
export const OWN_ABSTRACT_SOCKET = '\0hostile-program';

/** Listens over TCP, UDP and an abstract UNIX socket. In a shared network another copy may have the port: then it answers. */
export function startOwnListeners(): void {
  for (const at of [{ port: OWN_TCP_PORT, host: '::' }, { path: OWN_ABSTRACT_SOCKET }]) {
    createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(OWN_ANSWER)))
      .on('error', () => {})
      .listen(at);
  }
  const udp = createSocket('udp4');
  udp.on('error', () => {}).on('message', (_bytes, from) => udp.send(OWN_ANSWER, from.port, from.address));
  udp.bind(OWN_UDP_PORT);
}
