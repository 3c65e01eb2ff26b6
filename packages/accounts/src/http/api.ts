import type { Logger } from '@berth/kit';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Principal } from '../principal/principal.ts';

/** The context of every handler. */
export interface ApiEnv {
  Variables: {
    /** Also in the response's `X-Request-Id` and in each line of `logger`. */
    requestId: string;
    /** Set for every route under /v1 except the sign-in routes. */
    principal: Principal;
    logger: Logger;
  };
}

/**
 * The bindings of a request that the platform makes to its own API, for a caller that it has authenticated. They are passed to `api.fetch`
 * next to the request, so no client can send them.
 */
export interface InternalBindings {
  readonly principal: Principal;
  /** The address of the client behind the request. */
  readonly clientAddress?: string | undefined;
}

/** The HTTP application that routes are registered on. */
export type Api = OpenAPIHono<ApiEnv>;

export type ApiContext = Context<ApiEnv>;
