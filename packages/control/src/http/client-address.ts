import type { ApiContext } from './api.ts';

/** What `@hono/node-server` puts into the environment of a request. */
interface NodeBindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

/**
 * The address at the other end of the socket; undefined when there is no socket, as in tests. `X-Forwarded-For` is not
 * believed: anybody can send it.
 */
export function clientAddress(c: ApiContext): string | undefined {
  return (c.env as NodeBindings | undefined)?.incoming?.socket?.remoteAddress;
}
