import type { AnyContext } from './http-env.ts';

/** What `@hono/node-server` and the server put into the environment of a request. */
interface NodeBindings {
  /** Set when another process of the platform's own took the connection. */
  readonly clientAddress?: string;
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

/**
 * The client's address as the platform saw it; undefined when there is no socket, as in tests. `X-Forwarded-For` is not
 * believed: anybody can send it.
 */
export function clientAddress(c: AnyContext): string | undefined {
  const bindings = c.env as NodeBindings | undefined;
  return bindings?.clientAddress ?? bindings?.incoming?.socket?.remoteAddress;
}
