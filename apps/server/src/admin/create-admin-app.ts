import { describeError, type Logger } from '@berth/kit';
import { Hono } from 'hono';

/** What the admin listener serves from. */
export interface AdminParts {
  readonly logger: Logger;
  /** `Content-Type` of the text that {@link AdminParts.scrape} resolves to. */
  readonly metricsType: string;
  scrape(): Promise<string>;
  /** The control plane's API, whose `/healthz` and `/readyz` are served here too. */
  fetchApi(request: Request, bindings: object): Response | Promise<Response>;
}

/** Creates the app for `GET /metrics`, `/healthz` and `/readyz`. It asks for no credential: anyone who reaches the address may read it. */
export function createAdminApp({ logger, metricsType, scrape, fetchApi }: AdminParts): Hono {
  const app = new Hono();
  app.get('/metrics', async (c) =>
    c.body(await scrape(), 200, { 'Content-Type': metricsType, 'Cache-Control': 'no-store' }),
  );
  for (const path of ['/healthz', '/readyz']) app.get(path, (c) => fetchApi(c.req.raw, c.env as object));
  app.notFound((c) => c.json({ detail: 'Only GET /metrics, /healthz and /readyz are served here.' }, 404));
  app.onError((error, c) => {
    logger.error({ path: c.req.path, error: describeError(error) }, 'the admin listener could not answer');
    return c.json({ detail: 'The platform could not answer; its log says why.' }, 500);
  });
  return app;
}
