import type { AgentEnv } from '@berth/agent-core';
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';

/** Which pages of other origins may call the agent. */
export interface CorsOptions {
  /** Origins such as `https://app.example.com`, without a path, or `'*'` for all. */
  readonly origins: '*' | readonly string[];
}

/** Headers of responses that a page of another origin may read. */
const EXPOSED = [
  ...['Content-Disposition', 'Content-Range', 'ETag', 'Link', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
];

/** How long a browser may remember the answer to a preflight, in seconds: the most that Chromium takes. */
const MAX_AGE_S = 7_200;

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** @throws the error of `wrong` for options that name no origins. */
export function checkCorsOptions(options: CorsOptions | undefined, wrong: (what: string) => Error): void {
  if (options === undefined) return;
  const { origins } = options;
  if (origins === '*') return;
  if (!Array.isArray(origins)) throw wrong("cors names origins: cors: { origins: ['https://app.example.com'] }");
  const bad = origins.find((origin) => typeof origin !== 'string' || URL.parse(origin)?.origin !== origin);
  if (bad === undefined) return;
  throw wrong(`${JSON.stringify(bad)} is no origin: cors: { origins: ['https://app.example.com'] }, without a path`);
}

/**
 * Returns middleware that lets pages of other origins call the agent. Tokens are sent in a header and never by the browser itself,
 * so credentials are not allowed, and a page can do no more than a program on its visitor's machine with the same token.
 * Source: the Fetch standard, "HTTP extensions", and docs/contract/agent-api.md §1.
 */
export function crossOrigin({
  options,
  hasAuth,
  isProduction,
}: {
  readonly options: CorsOptions | undefined;
  readonly hasAuth: boolean;
  readonly isProduction: boolean;
}): MiddlewareHandler<AgentEnv> {
  const origins = options?.origins ?? (hasAuth ? '*' : []);
  const isAllowed = (origin: string) =>
    origins === '*' || origins.includes(origin) || (!options && !isProduction && LOCAL.test(origin));
  const answer = cors({
    origin: origins === '*' ? '*' : (origin) => (isAllowed(origin) ? origin : null),
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: EXPOSED,
    maxAge: MAX_AGE_S,
  });
  return async (c, next) => {
    const origin = c.req.header('origin');
    const isPreflight = c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;
    // Requests that no browser made for another origin are answered as ever, also OPTIONS.
    if (origin === undefined || (c.req.method === 'OPTIONS' && !isPreflight) || !isAllowed(origin)) {
      await next();
      if (origins !== '*') c.header('Vary', 'Origin', { append: true });
      return;
    }
    return await answer(c, next);
  };
}
