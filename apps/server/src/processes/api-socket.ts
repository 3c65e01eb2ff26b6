import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createError, LIMITS } from '@berth/contract';
import { createFrontServer } from '@berth/gateway';
import { createUpgradeHandler } from '@berth/http';
import { createProxyTrust, type ProxyTrust } from '@berth/kit/node';
import type { Shutdown } from '../context/shutdown.ts';
import { createApiListener, type FetchApi } from '../listeners/api-listener.ts';
import type { RequestHandler } from '../listeners/front-door.ts';

/** A socket path has at most 108 bytes with its terminator on Linux, 104 elsewhere. Source: unix(7), sys/un.h. */
const MAX_PATH_BYTES = 103;

/**
 * Returns the path of the socket on which the control process serves the API to workers: in the data folder, or in a private temporary
 * folder of this user when that path is too long.
 * @throws BerthError `conflict` when that folder belongs to another user
 */
export function apiSocketPath(dataFolder: string): string {
  const own = path.join(dataFolder, 'api.sock');
  if (Buffer.byteLength(own) <= MAX_PATH_BYTES) return own;
  const hash = createHash('sha256').update(dataFolder).digest('hex').slice(0, 12);
  const folder = path.join(tmpdir(), `berth-${hash}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0) {
    throw createError(
      'conflict',
      `${folder} does not belong to this server. Remove it, or use a data folder with a shorter path.`,
    );
  }
  return path.join(folder, 'api.sock');
}

/** Options of {@link serveApiSocket}. */
export interface ApiSocketOptions {
  readonly fetchApi: FetchApi;
  /** Serves the requests that {@link ApiSocketOptions.isStorage} accepts. */
  readonly serveStorage: RequestHandler;
  isStorage(host: string | undefined): boolean;
  readonly trustedProxies: readonly string[];
  readonly shutdown: Shutdown;
}

/** Serves the API on a socket that only workers reach, so the client addresses they report are trusted. */
export async function serveApiSocket(file: string, options: ApiSocketOptions): Promise<void> {
  const { fetchApi, serveStorage, isStorage, trustedProxies, shutdown } = options;
  const proxies = createProxyTrust(trustedProxies);
  const fetchFromWorker: FetchApi = (request, bindings) => {
    const clientAddress = forwardedClient(request.headers.get('x-forwarded-for') ?? '', proxies);
    return fetchApi(request, { ...bindings, clientAddress });
  };
  const serveApi = createApiListener(fetchFromWorker);
  const front = createFrontServer({
    onRequest(request, response) {
      const serve = isStorage(request.headers.host) ? serveStorage : serveApi;
      serve(request, response);
    },
    onUpgrade: createUpgradeHandler(fetchFromWorker, LIMITS.execMessageBytes),
  });
  // A killed control process leaves its socket.
  rmSync(file, { force: true });
  await new Promise<void>((resolve, reject) => {
    front.server.once('error', reject);
    front.server.listen({ path: file }, resolve);
  });
  process.once('exit', () => rmSync(file, { force: true }));
  shutdown.push('API socket', () => front.close());
}

/** Returns the client's address. The worker appended the last address; the earlier ones are the client's claims. */
function forwardedClient(header: string, proxies: ProxyTrust): string {
  const end = header.lastIndexOf(',');
  return proxies.clientOf(header.slice(end + 1).trim(), end === -1 ? undefined : header.slice(0, end));
}
