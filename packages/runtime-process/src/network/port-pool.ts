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
 * Gives out ports in an order that nobody can guess, so that nobody listens beforehand on the one that the next service is
 * told. One that was released is used again as late as possible: a request that is on its way to an instance that just ended
 * must not reach another service.
 */
export function createPortPool({ first, last }: PortRange = DEFAULT_PORT_RANGE): PortPool {
  const order = shuffle(Array.from({ length: last - first + 1 }, (_, index) => first + index));
  const used = new Set<number>();
  let next = 0;
  return {
    async take() {
      for (let tries = 0; tries < order.length; tries++) {
        const port = order[next] ?? first;
        next = (next + 1) % order.length;
        if (used.has(port)) continue;
        // Before the check, which takes a moment: another start must not choose the same.
        used.add(port);
        if (await isFree(port)) return port;
        used.delete(port);
      }
      throw createError('out_of_capacity', `No port from ${first} to ${last} is free.`);
    },
    release: (port) => void used.delete(port),
    isFree,
  };
}

/** Fisher and Yates's. */
function shuffle(values: number[]): readonly number[] {
  for (let end = values.length - 1; end > 0; end--) {
    const other = randomInt(end + 1);
    [values[end], values[other]] = [values[other] as number, values[end] as number];
  }
  return values;
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
