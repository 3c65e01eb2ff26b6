import type { ErrorCode } from '@berth/contract';
import { LIMITS } from '@berth/contract/limits';
import { type AnyMiddleware, errorResponses, readJsonBody } from '@berth/http';
import { type RouteConfig, z } from '@hono/zod-openapi';
import { allowAnonymous, type RouteGuard, requireUser } from './require-user.ts';

/** Who may call a route, and which errors it can answer with. */
export interface RouteAccess {
  /**
   * `public`: anybody; `turn`: a token when the agent has `auth`; `user`: always a token (mount it only with `auth`);
   * `person`: the same, and `X-Workspace` is ignored.
   */
  readonly access: 'public' | 'turn' | 'user' | 'person';
  /** Errors in addition to those of every route (401; 422 with input; 413 and 415 with a JSON body; 500 and 503). */
  readonly errors?: readonly ErrorCode[];
  /** Limit of a JSON body, in bytes; 1 MiB by default. */
  readonly bodyBytes?: number;
}

/**
 * Returns a route object for `app.openapi` or `registerStream`, with the contract's security, errors and body reading added.
 * Its own `responses` list successes only; errors are thrown.
 */
export function defineRoute<Path extends string, Route extends Omit<RouteConfig, 'path'> & { path: Path }>(
  { access, errors = [], bodyBytes = LIMITS.jsonBodyBytes }: RouteAccess,
  guard: RouteGuard,
  route: Route,
): Route {
  const entersWorkspace = guard.registry !== undefined && (access === 'turn' || access === 'user');
  const middleware: AnyMiddleware[] = [];
  if (access === 'turn') middleware.push(allowAnonymous(guard));
  if (access === 'user' || access === 'person') {
    if (!guard.authenticator) throw new Error(`${route.path} is of an agent with auth only`);
    middleware.push(requireUser(guard, { isPersonal: access === 'person' }));
  }
  const hasJsonBody = route.request?.body?.content['application/json'] !== undefined;
  if (hasJsonBody) middleware.push(readJsonBody(bodyBytes));
  const codes: ErrorCode[] = [
    ...(access === 'public' ? [] : (['unauthenticated'] as const)),
    // The caller does not belong to the workspace.
    ...(entersWorkspace ? (['not_found'] as const) : []),
    ...(hasJsonBody ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(route.request ? (['invalid'] as const) : []),
    ...errors,
    'internal',
    'unavailable',
  ];
  return {
    ...route,
    ...(entersWorkspace && { request: withWorkspace(route.request) }),
    security: access === 'public' ? [] : [{ HTTPBearer: [] }],
    middleware: [...middleware, ...[(route as RouteConfig).middleware ?? []].flat()],
    responses: { ...errorResponses(codes), ...route.responses },
  };
}

const WORKSPACE_HEADER = {
  'x-workspace': z
    .string()
    .optional()
    .openapi({ description: 'The workspace that it works in; by default the personal one' }),
};

/** Documents the header only: `requireUser` reads it before input is validated. */
function withWorkspace(request: RouteConfig['request']): RouteConfig['request'] {
  const { headers } = request ?? {};
  const own = headers instanceof z.ZodObject ? headers : z.object({});
  return { ...request, headers: own.extend(WORKSPACE_HEADER) };
}
