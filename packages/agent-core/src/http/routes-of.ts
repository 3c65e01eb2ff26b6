import type { ErrorCode } from '@berth/contract';
import { WORKSPACE_HEADER } from '@berth/contract/headers';
import { LIMITS } from '@berth/contract/limits';
import { type AnyMiddleware, errorResponses, readJsonBody, registerStream } from '@berth/http';
import { type RouteConfig, type RouteHandler, z } from '@hono/zod-openapi';
import type { AgentApp, AgentAppContext, AgentEnv } from './agent-app.ts';
import { allowAnonymous, type RouteGuard, requireUser } from './require-user.ts';

/** Access to a route, and its possible errors. */
interface RouteAccess {
  /**
   * `public`: all callers; `turn`: a token when the agent has `auth`; `user`: always a token (mount it only with `auth`);
   * `person`: the same, and `X-Workspace` is ignored.
   */
  readonly access: 'public' | 'turn' | 'user' | 'person';
  /** Errors in addition to those of every route (401; 422 with input; 413 and 415 with a JSON body; 500 and 503). */
  readonly errors?: readonly ErrorCode[];
  /** Limit of a JSON body, in bytes; 1 MiB by default. */
  readonly bodyBytes?: number;
}

/** A route's method and path; OpenAPI's parameters may have a pattern, such as `{path{.+}}` for one with slashes. */
type RouteTarget = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'} /${string}`;
/** The documentation of a route, whose `responses` list successes only; errors are thrown. */
type RouteDescription = RouteAccess & Omit<RouteConfig, 'method' | 'path' | 'operationId' | 'tags' | 'security'>;
type Described<Route> = Route & { method: 'get'; path: string };

/**
 * Returns a function that describes one route of a tag in OpenAPI, with the contract's security, errors and body reading added.
 * The route exists once one of the two methods of its result was called.
 */
export function routesOf(app: AgentApp, guard: RouteGuard, tag: string) {
  return <Route extends RouteDescription>(target: RouteTarget, operationId: string | undefined, described: Route) => {
    const [method, path] = target.split(' ') as ['GET', string];
    const options: RouteDescription = described;
    const { access, errors = [], bodyBytes = LIMITS.jsonBodyBytes, request, middleware: own = [], ...rest } = options;
    const entersWorkspace = guard.registry !== undefined && (access === 'turn' || access === 'user');
    const middleware: AnyMiddleware[] = [];
    if (access === 'turn') middleware.push(allowAnonymous(guard));
    if (access === 'user' || access === 'person') {
      if (!guard.authenticator) throw new Error(`${path} is of an agent with auth only`);
      middleware.push(requireUser(guard, access === 'person'));
    }
    const hasJsonBody = request?.body?.content['application/json'] !== undefined;
    if (hasJsonBody) middleware.push(readJsonBody(bodyBytes));
    const codes: ErrorCode[] = [
      ...(access === 'public' ? [] : (['unauthenticated'] as const)),
      // The caller does not belong to the workspace.
      ...(entersWorkspace ? (['not_found'] as const) : []),
      ...(hasJsonBody ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
      ...(request ? (['invalid'] as const) : []),
      ...errors,
      'internal',
      'unavailable',
    ];
    const route: RouteConfig = {
      method: method.toLowerCase() as 'get',
      path,
      ...(operationId !== undefined && { operationId }),
      tags: [tag],
      ...rest,
      ...(entersWorkspace ? { request: withWorkspace(request) } : request && { request }),
      security: access === 'public' ? [] : [{ HTTPBearer: [] }],
      middleware: [...middleware, ...[own].flat()],
      responses: { ...errorResponses(codes), ...rest.responses },
    };
    return {
      /** Registers the route with a handler that receives its validated input. */
      handle: (handler: RouteHandler<Described<Route>, AgentEnv>) => void app.openapi(route, handler as never),
      /** Registers the route with a handler that reads the body itself, as it arrives: nothing is validated. */
      stream: (handler: (c: AgentAppContext) => Response | Promise<Response>) => registerStream(app, route, handler),
    };
  };
}

const DOCUMENTED_WORKSPACE = {
  [WORKSPACE_HEADER.toLowerCase()]: z
    .string()
    .optional()
    .openapi({ description: 'Workspace of the request; the personal one by default' }),
};

/** Documents the header only: `requireUser` reads it before input is validated. */
function withWorkspace(request: RouteConfig['request']): NonNullable<RouteConfig['request']> {
  const { headers } = request ?? {};
  const own = headers instanceof z.ZodObject ? headers : z.object({});
  return { ...request, headers: own.extend(DOCUMENTED_WORKSPACE) };
}
