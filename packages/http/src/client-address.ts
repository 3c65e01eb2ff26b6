import type { AnyContext } from './http-env.ts';

/** Environment of a request set by `@hono/node-server` and the server. */
interface NodeBindings {
  /** Set when another process of the platform accepted the connection. */
  readonly clientAddress?: string;
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

/**
 * Returns the client's address as the platform saw it; undefined without a socket, as in tests. `X-Forwarded-For` is
 * ignored: any client can send it.
 */
export function clientAddress(c: AnyContext): string | undefined {
  const bindings = c.env as NodeBindings | undefined;
  return bindings?.clientAddress ?? bindings?.incoming?.socket?.remoteAddress;
}
