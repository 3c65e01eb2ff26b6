import { type ErrorCode, LIMITS, type Scope } from '@berth/contract';
import { errorResponses, readJsonBody } from '@berth/http';
import type { RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { ApiEnv } from './api.ts';
import { isPublicPath } from './public-path.ts';
import { requireOperator, requireOwner, requireScope, requireSession } from './require-scope.ts';

/** Who may call a route, and its error codes. */
export interface RouteAccess {
  /**
   * The scope it needs; `any`: any valid credential; `session`: only a signed-in person, no key;
   * `public`: no credential, see {@link isPublicPath}.
   */
  readonly scope: Scope | 'any' | 'session' | 'public';
  /** True when only the operator's account may call it. */
  readonly isOperatorOnly?: boolean;
  /** True when only owners and keys that no person created may call it, not admins. */
  readonly isOwnerOnly?: boolean;
  /** Errors besides those that every route can answer (401, 403, 429, 500, 503; 422 with input; 400, 413, 415 with a body). */
  readonly errors?: readonly ErrorCode[];
}

/**
 * Returns a route object with the contract's security, errors and body reading added, for `api.openapi` or
 * {@link registerStream}. Its `responses` list successes only; errors are thrown.
 */
export function defineRoute<Path extends string, Route extends Omit<RouteConfig, 'path'> & { path: Path }>(
  access: RouteAccess,
  route: Route,
): Route {
  const isPublic = access.scope === 'public';
  if (isPublic !== isPublicPath(route.path)) throw new Error(`${route.path} is in the wrong place for its access`);
  const { scope } = access;
  const scopes = scope === 'any' || scope === 'session' || scope === 'public' ? [] : [scope];
  const middleware: MiddlewareHandler<ApiEnv>[] = [];
  if (access.isOperatorOnly) middleware.push(requireOperator());
  if (access.isOwnerOnly) middleware.push(requireOwner());
  if (scope === 'session') middleware.push(requireSession());
  for (const needed of scopes) middleware.push(requireScope(needed));
  if (route.request?.body?.content['application/json']) middleware.push(readJsonBody(LIMITS.jsonBodyBytes));
  return {
    ...route,
    // OpenAPI 3.1 allows role names here for schemes other than OAuth.
    security: securityOf(access.scope, scopes),
    middleware,
    responses: { ...errorResponses(codesOf(access, route)), ...route.responses },
  };
}

function securityOf(scope: RouteAccess['scope'], scopes: string[]): NonNullable<RouteConfig['security']> {
  if (scope === 'public') return [];
  if (scope === 'session') return [{ HTTPBearer: ['session'] }];
  return [{ APIKeyHeader: scopes }, { HTTPBearer: scopes }];
}

function codesOf(access: RouteAccess, route: Pick<RouteConfig, 'request'>): ErrorCode[] {
  return [
    ...(route.request?.body ? (['bad_request'] as const) : []),
    ...(access.scope === 'public' ? [] : (['unauthenticated', 'forbidden'] as const)),
    ...(route.request?.body ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(route.request ? (['invalid'] as const) : []),
    ...(access.errors ?? []),
    'too_many_requests',
    'internal',
    'unavailable',
  ];
}
