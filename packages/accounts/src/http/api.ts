import type { Logger } from '@berth/kit';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Principal } from '../principal/principal.ts';

/** What every handler finds in its context. */
export interface ApiEnv {
  Variables: {
    /** Also in the answer's `X-Request-Id` and in each line of `logger`. */
    requestId: string;
    /** Set for every route under /v1 except the sign-in routes. */
    principal: Principal;
    logger: Logger;
  };
}

/** The HTTP application that resources register their routes on. */
export type Api = OpenAPIHono<ApiEnv>;

export type ApiContext = Context<ApiEnv>;
