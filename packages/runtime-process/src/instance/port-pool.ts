import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { createError } from '@berth/contract';

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Ports of this machine for instances. */
export interface PortPool {
  /** A port that nothing listens on now. @throws BerthError `out_of_capacity` when all are in use. */
  take(): Promise<number>;
  release(port: number): void;
  /** Nothing listens on it now. */
  isFree(port: number): Promise<boolean>;
}

/** Below the ephemeral ports (from 32,768, ip_local_port_range): no outgoing connection takes one of these. */
export const DEFAULT_PORT_RANGE: PortRange = { first: 20_000, last: 29_999 };

/**
 * Gives out ports in turn, so that one that was released is used again as late as possible: a request that is on its way to
 * an instance that just ended must not reach another service.
 */
export function createPortPool({ first, last }: PortRange = DEFAULT_PORT_RANGE): PortPool {
  const count = last - first + 1;
  const used = new Set<number>();
  let next = randomInt(count);
  return {
    async take() {
      for (let tries = 0; tries < count; tries++) {
        const port = first + next;
        next = (next + 1) % count;
        if (used.has(port)) continue;
        // Before the check, which takes a moment: another start must not choose the same.
        used.add(port);
        if (await isFree(port)) return port;
        used.delete(port);
      }
      throw createError('out_of_capacity', `All ports from ${first} to ${last} are in use.`);
    },
    release: (port) => void used.delete(port),
    isFree,
  };
}

/** On every address, because services listen on `0.0.0.0` or `::`. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '::')) ?? (await canListen(port, '0.0.0.0')) ?? false;
}

/** Undefined where the machine has no addresses of that kind. */
function canListen(port: number, host: string): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' ? false : undefined));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
