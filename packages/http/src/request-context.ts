import { redactTarget } from '@berth/contract';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { AnyContext, AnyMiddleware } from './http-env.ts';
import { renderError } from './render-error.ts';

/** A caller's own request id is taken over when it can do no harm in a log or a header. */
const SANE_REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,127}$/;

/** What the context is made of. */
export interface RequestContextOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** More fields of the request's line in the log, asked for when it was answered. */
  logFields?(c: AnyContext): Readonly<Record<string, unknown>>;
  /** Adds to the answer, whatever it is. */
  finish?(c: AnyContext): void;
  /** Paths that are asked every few seconds: their lines are for `debug`. */
  readonly probes?: readonly string[];
}

/** Gives the request its id and logger, the answer its id and `nosniff`, and the log one line a request. */
export function requestContext(options: RequestContextOptions): AnyMiddleware {
  const { logger, clock, ids, probes = [] } = options;
  return async (c, next) => {
    const startedMs = clock.monotonicMs();
    const given = c.req.header('x-request-id');
    const requestId = given !== undefined && SANE_REQUEST_ID.test(given) ? given : ids.next('req');
    const requestLogger = logger.child({ requestId });
    c.set('requestId', requestId);
    c.set('logger', requestLogger);
    try {
      await next();
    } catch (thrown) {
      // Hono renders instances of Error only; an abort reason or a library may be anything.
      c.res = renderError(thrown, c);
    }
    c.header('X-Request-Id', requestId);
    c.header('X-Content-Type-Options', 'nosniff');
    options.finish?.(c);
    const line = {
      method: c.req.method,
      // Without the query, which nobody needs here.
      path: redactTarget(c.req.path).slice(0, 512),
      status: c.res.status,
      durationMs: Math.round((clock.monotonicMs() - startedMs) * 10) / 10,
      ...options.logFields?.(c),
    };
    // Probes ask every few seconds and would drown the rest.
    if (probes.includes(c.req.path)) requestLogger.debug(line, 'request');
    else requestLogger.info(line, 'request');
  };
}
