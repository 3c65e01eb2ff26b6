import { lookup } from 'node:dns/promises';
import { BoundSocket, isIP } from 'node:net';
import { isAddressMissing, type ListenOptions, LOOPBACK, listenError } from '../listeners/listen.ts';

/** A port that this process holds for other processes to listen on. It stays bound when they restart. */
export interface BoundPort {
  readonly port: number;
  /** Descriptors in this process, one for each address. */
  readonly descriptors: readonly number[];
  close(): void;
}

/**
 * Binds a port without listening on it.
 * @throws BerthError `conflict` when the port is taken or may not be used
 */
export async function bindPort({ host, port }: ListenOptions): Promise<BoundPort> {
  const addresses = host === 'localhost' ? LOOPBACK : [await resolve(host, port)];
  const sockets: BoundSocket[] = [];
  let boundPort = port;
  for (const [index, address] of addresses.entries()) {
    try {
      const socket = new BoundSocket({ host: address, port: boundPort });
      sockets.push(socket);
      boundPort = socket.address().port;
    } catch (cause) {
      const error = listenError(cause as NodeJS.ErrnoException, address, boundPort);
      if (index > 0 && isAddressMissing(error)) continue;
      for (const socket of sockets) socket.close();
      throw error;
    }
  }
  return {
    port: boundPort,
    descriptors: sockets.map((socket) => socket.fd()),
    close() {
      for (const socket of sockets.splice(0)) socket.close();
    },
  };
}

async function resolve(host: string, port: number): Promise<string> {
  if (isIP(host) > 0) return host;
  try {
    return (await lookup(host)).address;
  } catch (cause) {
    throw listenError(cause as NodeJS.ErrnoException, host, port);
  }
}
