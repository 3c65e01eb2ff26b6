import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { createError } from '@berth/contract/errors';
import { createFrontServer, type FrontServer, type FrontServerOptions } from '@berth/gateway';
import type { BerthError } from '@berth/kit';

export interface ListenOptions {
  /** `localhost` stands for both loopback addresses, else one address. */
  readonly host: string;
  /** 0: the system picks one, the same for all addresses. */
  readonly port: number;
}

/** Both addresses that `localhost` stands for; the second one is missing on a machine without IPv6. */
export const LOOPBACK = ['127.0.0.1', '::1'] as const;

export interface Listener {
  readonly port: number;
  /** Stops listening and ends every connection. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the public port: HTTP/1.1 and, by prior knowledge, HTTP/2.
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
      // A machine without IPv6 still has the other loopback address.
      if (index > 0 && isAddressMissing(error)) continue;
      await Promise.all(fronts.map((one) => one.close()));
      throw error;
    }
    fronts.push(front);
  }
  return { port: boundPort, close: async () => void (await Promise.all(fronts.map((front) => front.close()))) };
}

/** Connections that wait to be accepted, at most. */
const BACKLOG = 1024;

/** Starts to listen on a socket that another process has bound and handed on as `fd`. */
export async function listenOnDescriptor(server: Server, fd: number): Promise<void> {
  server.listen({ fd, backlog: BACKLOG });
  await once(server, 'listening');
}

/**
 * Starts to listen and answers the port.
 * @throws BerthError `conflict` that says what to change.
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

/** The machine has no such address: a {@link listenError} says so. */
export function isAddressMissing(error: unknown): boolean {
  const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

/** What to do when `host` and `port` can't be listened on. */
export function listenError(cause: NodeJS.ErrnoException, host: string, port: number): BerthError {
  return createError('conflict', listenProblem(cause.code, host, port), { cause });
}

function listenProblem(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is taken by another program. Choose another one.`;
  if (code === 'EACCES') return `This user may not listen on port ${port}. Choose one from 1024 up.`;
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine. Choose another with --host.`;
  return `Could not listen on ${host} port ${port} (${code ?? 'unknown error'}).`;
}
