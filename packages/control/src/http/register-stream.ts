import type { RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Api, ApiContext } from './api.ts';

/**
 * Registers a route that reads its body itself, while it arrives: it is documented and guarded like any other, but nothing
 * of the body is read before `handler` runs, and its input is not validated here.
 */
export function registerStream(
  api: Api,
  route: RouteConfig,
  handler: (c: ApiContext) => Response | Promise<Response>,
): void {
  const { middleware = [], ...documented } = route;
  api.openAPIRegistry.registerPath(documented);
  api.on(
    [route.method],
    [route.path.replaceAll(/\{(\w+)\}/g, ':$1')],
    ...([middleware].flat() as MiddlewareHandler[]),
    handler,
  );
}
