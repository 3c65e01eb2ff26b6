import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApi } from '@berth/accounts';
import { createError, type Scope } from '@berth/contract';
import { type AccountId, type Clock, createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import type { LogInput, LogScope, LogStore } from '@berth/logstore';
import { createFakeLogStore } from '@berth/testkit';
import { getRequestListener } from '@hono/node-server';
import { registerLogRoutes } from '../routes/register-log-routes.ts';

/** The account behind the credential `acme`. */
export const ACME = 'acct_acme' as AccountId;
/** What the account has: one deployment, and one that it deleted; `theirs` is another account's. */
export const SHOP: LogScope = { account: ACME, deployment: 'shop' };
export const DELETED: LogScope = { account: ACME, deployment: 'gone' };

const CREDENTIALS: Readonly<Record<string, { readonly accountId: AccountId; readonly scopes: readonly Scope[] }>> = {
  acme: { accountId: ACME, scopes: ['logs'] },
  deployer: { accountId: ACME, scopes: ['deploy', 'read', 'volumes', 'billing'] },
  admin: { accountId: ACME, scopes: ['admin'] },
  rival: { accountId: 'acct_rival' as AccountId, scopes: ['logs'] },
};

/** Who owns which name. */
const OWNERS: Readonly<Record<string, string>> = { shop: ACME, empty: ACME, theirs: 'acct_rival' };

export interface LogRoutes extends AsyncDisposable {
  readonly store: LogStore;
  /** Appends entries of these messages to a log. */
  print(scope: LogScope, ...messages: readonly string[]): Promise<void>;
  /** Calls in process, as `acme` unless the headers say otherwise; with `json` it is a POST. */
  call(
    path: string,
    options?: { readonly json?: unknown; readonly headers?: Record<string, string> },
  ): Promise<Response>;
  /** Opens a real socket; answers its address. */
  listen(): Promise<string>;
}

/** The log routes on a store in memory. */
export function createLogRoutes({
  clock = createSystemClock(),
  ...options
}: {
  store?: LogStore;
  clock?: Clock;
} = {}): LogRoutes {
  const store = options.store ?? createFakeLogStore(clock.nowMs);
  const api = createApi({
    logger: createSilentLogger(),
    clock,
    ids: createIdSource(),
    async authenticate(headers) {
      const credential = CREDENTIALS[headers.get('x-api-key') ?? ''];
      if (!credential) throw createError('unauthenticated', 'Send a key.');
      return { kind: 'key', isOperator: false, ...credential };
    },
  });
  registerLogRoutes(api, {
    logs: store,
    clock,
    deployments: {
      async ownership(account, name) {
        const owner = OWNERS[name];
        if (owner === undefined) return 'free';
        return owner === account ? 'own' : 'other';
      },
    },
  });
  const server = createServer(getRequestListener(api.fetch));
  return {
    store,
    async print(scope, ...messages) {
      const entries: LogInput[] = messages.map((message) => ({ logName: 'stdout', severity: 'INFO', message }));
      await store.append(scope, entries);
    },
    async call(path, { json, headers = {} } = {}) {
      const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
      const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
      return api.request(path, { ...body, headers: { 'X-API-Key': 'acme', ...type, ...headers } });
    },
    async listen() {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
