import { createServer } from 'node:http';
import { isIPv6 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { bind } from '../listeners/listen.ts';
import { type AdminParts, createAdminApp } from './create-admin-app.ts';

/** Where the admin listener listens. */
export interface AdminAddress {
  /** One address or a name that resolves to one. */
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
}

/** An open admin listener. */
export interface AdminListener {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Stops listening and ends every connection. Idempotent. */
  close(): Promise<void>;
}

/** Scrapers send small requests; slower clients are disconnected. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Far more than one machine has scrapers. */
const MAX_CONNECTIONS = 64;

/**
 * Opens the listener for operators, apart from the public ports.
 * @throws BerthError `conflict` when the port is taken or may not be used.
 */
export async function openAdmin({ host, port }: AdminAddress, parts: AdminParts): Promise<AdminListener> {
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
