import { access, constants } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { UsageError } from '../errors/usage-error.ts';

/** Reports whether a folder of the search path has an executable file of this name. */
export async function hasProgram(name: string, searchPath: string): Promise<boolean> {
  for (const folder of searchPath.split(path.delimiter)) {
    const isThere = await access(path.join(folder, name), constants.X_OK)
      .then(() => true)
      .catch(() => false);
    if (isThere) return true;
  }
  return false;
}

/** How many ports are tried after the first one. */
const TRIES = 20;

/** Finds a free port: `wanted`, or, unless it was given explicitly, one of the next. @throws UsageError when none is free */
export async function findPort(wanted: number, isAskedFor: boolean): Promise<number> {
  for (let port = wanted; port < wanted + (isAskedFor ? 1 : TRIES); port++) if (await isFree(port)) return port;
  throw new UsageError(`Port ${wanted} is in use. Choose another with --port.`);
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: 'localhost' }, () => server.close(() => resolve(true)));
  return promise;
}
