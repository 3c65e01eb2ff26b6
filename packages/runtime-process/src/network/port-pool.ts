import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { createError } from '@berth/contract';

/** Below the ephemeral ports (from 32,768, ip_local_port_range), so that no outgoing connection takes one of these. */
const DEFAULT_PORT_RANGE = { first: 20_000, last: 29_999 };

/**
 * Creates a pool that gives out ports in an unpredictable order, so that no program can listen on the next service's port beforehand.
 * Released ports are reused as late as possible, so that a request to an instance that just ended doesn't reach another service.
 */
export function createPortPool({ first, last } = DEFAULT_PORT_RANGE) {
  const order = shuffle(Array.from({ length: last - first + 1 }, (_, index) => first + index));
  const used = new Set<number>();
  let next = 0;
  return {
    /** Takes a port that nothing listens on. @throws BerthError `out_of_capacity` when all are in use. */
    async take(): Promise<number> {
      for (let tries = 0; tries < order.length; tries++) {
        const port = order[next] ?? first;
        next = (next + 1) % order.length;
        if (used.has(port)) continue;
        // Marked before the asynchronous check, so that a concurrent start doesn't choose the same port.
        used.add(port);
        if (await isFree(port)) return port;
        used.delete(port);
      }
      throw createError('out_of_capacity', `No port from ${first} to ${last} is free.`);
    },
    /** Gives a port back. */
    release: (port: number) => void used.delete(port),
    /** Resolves with true when nothing listens on the port. */
    isFree,
  };
}

/** Fisher–Yates shuffle, in place. */
function shuffle(values: number[]): readonly number[] {
  for (let end = values.length - 1; end > 0; end--) {
    const other = randomInt(end + 1);
    [values[end], values[other]] = [values[other] as number, values[end] as number];
  }
  return values;
}

/** Tries to listen on every address, because services listen on `0.0.0.0` or `::`. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '::')) ?? (await canListen(port, '0.0.0.0')) ?? false;
}

/** Resolves with undefined when the machine has no addresses of that IP version. */
function canListen(port: number, host: string): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' ? false : undefined));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
