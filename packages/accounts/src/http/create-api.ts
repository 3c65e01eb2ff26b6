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
import type { Api, ApiEnv, InternalBindings } from './api.ts';
import { isPublicPath } from './define-route.ts';
import { type ReadinessCheck, registerHealthRoutes } from './health-routes.ts';
import { openApiDocument } from './openapi-document.ts';

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

/** Options of {@link createApi}. */
export interface CreateApiOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: IdSource;
  /**
   * Returns the caller of a request.
   * @throws `unauthenticated`
   */
  authenticate(headers: Headers): Promise<Principal>;
  readonly readinessChecks?: readonly ReadinessCheck[];
}

/**
 * Creates the application that routes are registered on. Every route under /v1 except sign-in requires
 * `authenticate` to succeed, however it is registered. An unknown path is 404 and an unknown method 405, without a credential.
 */
export function createApi({ logger, clock, ids, authenticate, readinessChecks = [] }: CreateApiOptions): Api {
  const api: Api = new OpenAPIHono<ApiEnv>({ defaultHook: validationHook });
  const table = createRouteTable(api);
  api.onError(renderError);
  api.notFound((c) => {
    const problem = table.problem(c.req.method, c.req.path);
    return renderError(problem ?? new Error('a handler returned no response'), c);
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
        // Responses hold account data, and some hold secrets.
        if (c.req.path.startsWith('/v1/') && !c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
      },
    }),
  );
  api.use('*', lingeringClose({ clock }));
  api.use('/v1/*', async (c, next) => {
    const problem = table.problem(c.req.method, c.req.path);
    if (problem) throw problem;
    if (!isPublicPath(c.req.path)) {
      const { principal } = (c.env ?? {}) as Partial<InternalBindings>;
      c.set('principal', principal ?? (await authenticate(c.req.raw.headers)));
    }
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
