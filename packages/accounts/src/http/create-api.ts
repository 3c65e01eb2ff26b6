import {
  createRouteTable,
  jsonResponse,
  lingeringClose,
  registerStream,
  renderError,
  requestContext,
  validationHook,
} from '@berth/http';
import type { Clock, IdSource, Logger } from '@berth/kit';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Principal } from '../principal/principal.ts';
import type { Api, ApiEnv } from './api.ts';
import { type ReadinessCheck, registerHealthRoutes } from './health-routes.ts';
import { openApiDocument } from './openapi-document.ts';
import { isPublicPath } from './public-path.ts';

const PROBES: readonly string[] = ['/healthz', '/readyz'];

const documentRoute = createRoute({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getOpenApiDocument',
  tags: ['System'],
  summary: 'The OpenAPI 3.1 document of this API',
  security: [],
  responses: { 200: jsonResponse(z.looseObject({ openapi: z.string() }), 'The document') },
});

/** What the HTTP base is made of. */
export interface CreateApiOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: IdSource;
  /**
   * Finds out who a request comes from.
   * @throws `unauthenticated`
   */
  authenticate(headers: Headers): Promise<Principal>;
  readonly readinessChecks?: readonly ReadinessCheck[];
}

/**
 * The application that resources register their routes on. Every route under /v1 but those of sign-in is behind
 * `authenticate`, whoever registers it and however; a path or method that nobody registered is 404 or 405 without one.
 */
export function createApi({ logger, clock, ids, authenticate, readinessChecks = [] }: CreateApiOptions): Api {
  const api: Api = new OpenAPIHono<ApiEnv>({ defaultHook: validationHook });
  const table = createRouteTable(api);
  api.onError(renderError);
  api.notFound((c) => {
    const problem = table.problem(c.req.method, c.req.path);
    return renderError(problem ?? new Error('a handler answered nothing'), c);
  });
  api.use(
    '*',
    requestContext({
      logger,
      clock,
      ids,
      probes: PROBES,
      logFields: (c) => ({ accountId: (c.get('principal') as Principal | undefined)?.accountId }),
      finish(c) {
        // Answers hold account data, and one of them a secret.
        if (c.req.path.startsWith('/v1/') && !c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
      },
    }),
  );
  api.use('*', lingeringClose({ clock }));
  api.use('/v1/*', async (c, next) => {
    const problem = table.problem(c.req.method, c.req.path);
    if (problem) throw problem;
    if (!isPublicPath(c.req.path)) c.set('principal', await authenticate(c.req.raw.headers));
    await next();
  });
  registerHealthRoutes(api, readinessChecks, clock);
  let document: string | undefined;
  registerStream(api, documentRoute, (c) => {
    document ??= JSON.stringify(openApiDocument(api));
    return c.body(document, 200, { 'Content-Type': 'application/json' });
  });
  return api;
}
