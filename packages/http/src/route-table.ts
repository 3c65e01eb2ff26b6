import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { findTargetHandler, isMiddleware } from 'hono/utils/handler';

// biome-ignore lint/suspicious/noExplicitAny: of whichever environment
type AnyApi = OpenAPIHono<any>;

/** Routes of the application for a path. */
export interface RouteTable {
  /**
   * Returns why `method path` has no route: 405 with the methods of a known path, else 404; undefined when it has one.
   */
  problem(method: string, path: string): BerthError | undefined;
}

/**
 * Returns the routes registered on `api`, in the router's form, e.g. `/files/:path{.+}`. Middleware is left out: it is
 * registered on ALL, for one path or with a wildcard, and responds to no method by itself.
 */
export function registeredRoutes(
  api: Pick<AnyApi, 'routes'>,
): readonly { readonly method: string; readonly path: string }[] {
  return api.routes.filter(
    ({ method, path, handler }) =>
      method !== 'ALL' || !(path.endsWith('*') || isMiddleware(findTargetHandler(handler))),
  );
}

/** Compares requests with the routes of `api`, which are read at the first request, when all are registered. */
export function createRouteTable(api: Pick<AnyApi, 'routes'>): RouteTable {
  let known: readonly { readonly method: string; readonly pattern: RegExp }[] | undefined;
  return {
    problem(method, path) {
      known ??= registeredRoutes(api).map((route) => ({ method: route.method, pattern: toPattern(route.path) }));
      const methods = new Set(known.filter((route) => route.pattern.test(path)).map((route) => route.method));
      // Hono responds to HEAD wherever it responds to GET.
      if (methods.has('GET')) methods.add('HEAD');
      if (methods.has(method) || methods.has('ALL')) return undefined;
      if (methods.size === 0) return createError('not_found', `No route ${path.slice(0, 200)}.`);
      const allow = [...methods].sort().join(', ');
      return createError('method_not_allowed', `${path.slice(0, 200)} doesn't allow ${method}. Allowed: ${allow}.`, {
        details: { allow },
      });
    },
  };
}

function toPattern(path: string): RegExp {
  const source = path
    .split(/(:\w+(?:\{[^}]*\})?)/)
    .map((piece) => (piece.startsWith(':') ? (/\{([^}]*)\}/.exec(piece)?.[1] ?? '[^/]+') : literal(piece)))
    .join('');
  return new RegExp(`^${source}$`);
}

function literal(text: string): string {
  return text.replaceAll(/[.+^$()|[\]\\{}?]/g, String.raw`\$&`).replaceAll('*', '.*');
}
