import type { Server } from 'node:http';
import { createError } from '@berth/contract';

/** The port that the platform routes to without `PORT`. */
const DEFAULT_PORT = 8_000;

/**
 * Returns the port that the environment names; 8000 by default.
 * @throws `invalid` when `PORT` is no port.
 */
export function portOf(environment: Readonly<Record<string, string | undefined>>): number {
  const text = environment['PORT'];
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw createError('invalid', `PORT is ${JSON.stringify(text)}; it must be a number from 0 to 65535.`);
}

/** Starts listening. @throws the system's error, e.g. EADDRINUSE. */
export function listenOn(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Returns the host for a URL that a person can open. */
export function hostText(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
