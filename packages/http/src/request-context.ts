import { redactTarget } from '@berth/contract';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { AnyContext, AnyMiddleware } from './http-env.ts';
import { renderError } from './render-error.ts';

/** A client's own request id is used when it is safe in a log and a header. */
const SANE_REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,127}$/;

/** Options of the request context. */
export interface RequestContextOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Returns more fields for the request's log line; called after the response. */
  logFields?(c: AnyContext): Readonly<Record<string, unknown>>;
  /** Changes the response, whatever it is. */
  finish?(c: AnyContext): void;
  /** Paths of health checks, which are logged at `debug`. */
  readonly probes?: readonly string[];
  /** Paths that the platform asks every few seconds, which are logged only when they fail. */
  readonly unlogged?: readonly string[];
}

/**
 * Returns middleware that sets the request's id and logger, sends the id and `nosniff`, and logs one line per request.
 */
export function requestContext(options: RequestContextOptions): AnyMiddleware {
  const { logger, clock, ids, probes = [], unlogged = [] } = options;
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
      // Hono renders instances of Error only; an abort reason or a library may throw anything.
      c.res = renderError(thrown, c);
    }
    c.header('X-Request-Id', requestId);
    c.header('X-Content-Type-Options', 'nosniff');
    options.finish?.(c);
    if (c.res.status < 400 && unlogged.includes(c.req.path)) return;
    const line = {
      method: c.req.method,
      // Without the query, which may contain secrets.
      path: redactTarget(c.req.path).slice(0, 512),
      status: c.res.status,
      durationMs: Math.round((clock.monotonicMs() - startedMs) * 10) / 10,
      ...options.logFields?.(c),
    };
    // Health checks come every few seconds and would drown the rest.
    if (probes.includes(c.req.path)) requestLogger.debug(line, 'request');
    else requestLogger.info(line, 'request');
  };
}
