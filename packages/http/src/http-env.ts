import type { Logger } from '@berth/kit';
import type { Context, MiddlewareHandler } from 'hono';

/** Variables in the context of every handler of either API. */
export interface HttpVariables {
  /** Also in the response's `X-Request-Id`, and in each line of `logger`. */
  readonly requestId: string;
  readonly logger: Logger;
}

/** A context of whichever API: Hono's types of two environments do not fit each other, even when one has all of the other. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyContext = Context<any>;

/** A middleware that either API can use. */
// biome-ignore lint/suspicious/noExplicitAny: see AnyContext
export type AnyMiddleware = MiddlewareHandler<any>;

/** Returns the variables of a context that went through {@link requestContext}. */
export function variablesOf(c: AnyContext): HttpVariables {
  return { requestId: c.get('requestId'), logger: c.get('logger') };
}
