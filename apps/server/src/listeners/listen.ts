import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { createError } from '@berth/contract/errors';
import { createFrontServer, type FrontServer, type FrontServerOptions } from '@berth/gateway';
import type { BerthError } from '@berth/kit';

/** Options of {@link listen}. */
export interface ListenOptions {
  /** One address, or `localhost` for both loopback addresses. */
  readonly host: string;
  /** 0 lets the system choose one, the same for all addresses. */
  readonly port: number;
}

/** The addresses of `localhost`. The second one is missing on a machine without IPv6. */
export const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** An open port. */
export interface Listener {
  readonly port: number;
  /** Stops listening and ends every connection. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a public port for HTTP/1.1 and, with prior knowledge, HTTP/2.
 * @throws BerthError `conflict` when the port is taken or may not be used.
 */
export async function listen({ host, port }: ListenOptions, handlers: FrontServerOptions): Promise<Listener> {
  const hosts = host === 'localhost' ? LOOPBACK : [host];
  const fronts: FrontServer[] = [];
  let boundPort = port;
  for (const [index, address] of hosts.entries()) {
    const front = createFrontServer(handlers);
    try {
      boundPort = await bind(front.server, address, boundPort);
    } catch (error) {
      // A machine without IPv6 still has the IPv4 loopback address.
      if (index > 0 && isAddressMissing(error)) continue;
      await Promise.all(fronts.map((one) => one.close()));
      throw error;
    }
    fronts.push(front);
  }
  return { port: boundPort, close: async () => void (await Promise.all(fronts.map((front) => front.close()))) };
}

/** Maximum number of connections that wait to be accepted. */
const BACKLOG = 1024;

/** Listens on a socket that another process has bound and passed on as `fd`. */
export async function listenOnDescriptor(server: Server, fd: number): Promise<void> {
  server.listen({ fd, backlog: BACKLOG });
  await once(server, 'listening');
}

/**
 * Listens on an address.
 * @returns the port
 * @throws BerthError `conflict` that says what to change
 */
export function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      reject(listenError(cause, host, port));
    };
    server.once('error', onError);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Returns true for a {@link listenError} about an address that the machine doesn't have. */
export function isAddressMissing(error: unknown): boolean {
  const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

/** Creates the error for `host` and `port` that can't be listened on; it says what to do. */
export function listenError(cause: NodeJS.ErrnoException, host: string, port: number): BerthError {
  return createError('conflict', listenProblem(cause.code, host, port), { cause });
}

function listenProblem(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is in use by another program. Choose another port.`;
  if (code === 'EACCES') return `This user can't listen on port ${port}. Choose a port from 1024 up.`;
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine. Choose another with --host.`;
  return `Could not listen on ${host} port ${port} (${code ?? 'unknown error'}).`;
}
