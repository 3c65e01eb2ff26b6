import { createError, type ErrorCode, hasScope, LIMITS, type Scope } from '@berth/contract';
import { errorResponses, readJsonBody } from '@berth/http';
import type { RouteConfig, RouteHandler } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { requirePerson } from '../principal/principal.ts';
import type { Api, ApiEnv } from './api.ts';

/** Access to a route, and its error codes. */
export interface RouteAccess {
  /**
   * The scope it needs; `any`: any valid credential; `session`: only a signed-in person, no key;
   * `public`: no credential, see {@link isPublicPath}.
   */
  readonly scope: Scope | 'any' | 'session' | 'public';
  /** True when only the operator's account may call it. */
  readonly isOperatorOnly?: boolean | undefined;
  /** True when only owners and keys that no person created may call it, not admins. */
  readonly isOwnerOnly?: boolean | undefined;
  /** Errors besides those that every route can answer (401, 403, 429, 500, 503; 422 with input; 400, 413, 415 with a body). */
  readonly errors?: readonly ErrorCode[];
}

type RouteShape = Omit<RouteConfig, 'method' | 'path'>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Defined<Verb extends Method, Path, Route> = Omit<Route, keyof RouteAccess> & {
  method: Lowercase<Verb>;
  path: Path;
};
type Handler<Route> = Route extends RouteConfig ? RouteHandler<Route, ApiEnv> : never;

/** True for the paths that are served without a credential: outside /v1, and below /v1/auth/ and /v1/hooks/, whose requests are signed. */
export function isPublicPath(path: string): boolean {
  return path.startsWith('/v1/auth/') || path.startsWith('/v1/hooks/') || !path.startsWith('/v1/');
}

/**
 * Returns a route object with the contract's security, errors and body reading added, for `api.openapi` or
 * {@link registerStream}. Its `responses` list successes only; errors are thrown.
 * @param operation method and path, e.g. `GET /v1/user`.
 */
export function defineRoute<Verb extends Method, Path extends string, Route extends RouteAccess & RouteShape>(
  operation: `${Verb} ${Path}`,
  { scope, isOperatorOnly, isOwnerOnly, errors, ...route }: Route,
): Defined<Verb, Path, Route> {
  const [verb, path] = operation.split(' ') as [Verb, Path];
  const isPublic = scope === 'public';
  if (isPublic !== isPublicPath(path)) throw new Error(`${path} is in the wrong place for its access`);
  const middleware = isPublic ? [] : [requireAccess({ scope, isOperatorOnly, isOwnerOnly })];
  if (route.request?.body?.content['application/json']) middleware.push(readJsonBody(LIMITS.jsonBodyBytes));
  return {
    ...route,
    method: verb.toLowerCase() as Lowercase<Verb>,
    path,
    security: securityOf(scope),
    middleware,
    responses: { ...errorResponses(codesOf(route.request, isPublic, errors)), ...route.responses },
  };
}

/**
 * Returns a function that registers one operation on an API, together with the dependencies that `handle` gets. The
 * operation is defined as by {@link defineRoute}.
 */
export function defineOperation<Verb extends Method, Path extends string, Route extends RouteAccess & RouteShape, Deps>(
  operation: `${Verb} ${Path}`,
  route: Route,
  handle: (
    c: Parameters<Handler<Defined<Verb, Path, Route>>>[0],
    deps: Deps,
  ) => ReturnType<Handler<Defined<Verb, Path, Route>>>,
): (api: Api, deps: Deps) => void {
  const defined = defineRoute(operation, route) as RouteConfig;
  return (api, deps) => void api.openapi(defined, ((c: never) => handle(c, deps)) as never);
}

/** Refuses callers whom the route doesn't admit with 403. */
function requireAccess({ scope, isOperatorOnly, isOwnerOnly }: RouteAccess): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const principal = c.get('principal');
    if (isOperatorOnly && !principal.isOperator) {
      throw createError('forbidden', "Only the operator's account can do this.");
    }
    if (isOwnerOnly && principal.userId !== undefined && principal.role !== 'owner') {
      throw createError('forbidden', 'Only an owner of the account can do this.');
    }
    if (scope === 'session') requirePerson(principal);
    for (const needed of scopesOf(scope)) {
      if (hasScope(principal.scopes, needed)) continue;
      throw createError('forbidden', `This credential lacks the scope "${needed}".`);
    }
    await next();
  };
}

function scopesOf(scope: RouteAccess['scope']): Scope[] {
  return scope === 'any' || scope === 'session' || scope === 'public' ? [] : [scope];
}

/** OpenAPI 3.1 allows role names in schemes other than OAuth. */
function securityOf(scope: RouteAccess['scope']): NonNullable<RouteConfig['security']> {
  if (scope === 'public') return [];
  if (scope === 'session') return [{ HTTPBearer: ['session'] }];
  return [{ APIKeyHeader: scopesOf(scope) }, { HTTPBearer: scopesOf(scope) }];
}

function codesOf(request: RouteShape['request'], isPublic: boolean, more: readonly ErrorCode[] = []): ErrorCode[] {
  return [
    ...(request?.body ? (['bad_request'] as const) : []),
    ...(isPublic ? [] : (['unauthenticated', 'forbidden'] as const)),
    ...(request?.body ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(request ? (['invalid'] as const) : []),
    ...more,
    'too_many_requests',
    'internal',
    'unavailable',
  ];
}
