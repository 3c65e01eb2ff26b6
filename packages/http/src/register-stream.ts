import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import type { Context, Env, MiddlewareHandler } from 'hono';

/**
 * Registers a route that reads its body itself, as it arrives. The route is documented and guarded like any other, but
 * nothing of the body is read before `handler` runs, and its input is not validated here.
 */
export function registerStream<ApiEnv extends Env>(
  api: OpenAPIHono<ApiEnv>,
  route: RouteConfig,
  handler: (c: Context<ApiEnv>) => Response | Promise<Response>,
): void {
  const { middleware = [], ...documented } = route;
  api.openAPIRegistry.registerPath(documented);
  api.on(
    [route.method],
    // A parameter may have a pattern: `{path{.+}}`.
    [route.path.replaceAll(/\/\{(.+?)\}/g, '/:$1')],
    ...([middleware].flat() as MiddlewareHandler[]),
    handler,
  );
}
