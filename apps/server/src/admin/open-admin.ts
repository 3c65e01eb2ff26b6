import { createServer } from 'node:http';
import { isIPv6 } from 'node:net';
import { describeError, type Logger } from '@berth/kit';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { bind, type Listener, type ListenOptions } from '../listeners/listen.ts';

/** An open admin listener. */
export interface AdminListener extends Pick<Listener, 'close'> {
  /** Base URL without a trailing slash. */
  readonly url: string;
}

/** Scrapers send small requests; slower clients are disconnected. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Far more than one machine has scrapers. */
const MAX_CONNECTIONS = 64;

/**
 * Opens the listener for operators, apart from the public ports.
 * @throws BerthError `conflict` when the port is taken or may not be used.
 */
export async function openAdmin({ host, port }: ListenOptions, parts: AdminParts): Promise<AdminListener> {
  const app = createAdminApp(parts);
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  );
  server.maxConnections = MAX_CONNECTIONS;
  const boundPort = await bind(server, host, port);
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${boundPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Dependencies of the admin listener. */
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
