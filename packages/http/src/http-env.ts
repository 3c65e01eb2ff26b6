import type { Logger } from '@berth/kit';
import type { Context, MiddlewareHandler } from 'hono';

/** What every handler of either API finds in its context. */
export interface HttpVariables {
  /** Also in the answer's `X-Request-Id` and in each line of `logger`. */
  readonly requestId: string;
  readonly logger: Logger;
}

/** A context of whichever API: Hono's types of two environments do not fit each other, even when one has all of the other. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyContext = Context<any>;

/** A middleware that either API can use. */
// biome-ignore lint/suspicious/noExplicitAny: see AnyContext
export type AnyMiddleware = MiddlewareHandler<any>;

/** The variables of a context that {@link requestContext} has been given. */
export function variablesOf(c: AnyContext): HttpVariables {
  return { requestId: c.get('requestId'), logger: c.get('logger') };
}
