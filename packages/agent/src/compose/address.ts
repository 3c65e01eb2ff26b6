import type { Server } from 'node:http';
import { createError } from '@berth/contract';

/** Where the platform routes to when it says no `PORT`. */
const DEFAULT_PORT = 8_000;

/**
 * The port that the environment names.
 * @throws `invalid` when it is none.
 */
export function portOf(environment: Readonly<Record<string, string | undefined>>): number {
  const text = environment['PORT'];
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw createError('invalid', `PORT is ${JSON.stringify(text)}; it must be a number from 0 to 65535.`);
}

/** Resolves when the server listens. @throws the system's error, e.g. EADDRINUSE. */
export function listenOn(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** A host as it stands in a URL that a person can open. */
export function hostText(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
