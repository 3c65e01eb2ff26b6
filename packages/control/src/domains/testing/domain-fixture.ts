import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Api, type AuditLog, createApi, createAuditLog } from '@berth/accounts';
import { createError, type Domain, type Scope } from '@berth/contract';
import type { Database } from '@berth/database';
import { openTestDatabase, rehearseTransactions } from '@berth/database/testing';
import { type AccountId, createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import type { Kysely, KyselyPlugin } from 'kysely';
import { createDeploymentStore } from '../../deployments/store/deployment-store.ts';
import { type CreateDomainsOptions, createDomains, type DomainChange, type Domains } from '../create-domains.ts';
import { registerDomainRoutes } from '../routes/register-domain-routes.ts';

/** API keys of the test accounts. */
const KEYS: Readonly<Record<string, { readonly account: string; readonly scopes: readonly Scope[] }>> = {
  alice: { account: 'acc_alice', scopes: ['admin'] },
  'alice-read': { account: 'acc_alice', scopes: ['read'] },
  bob: { account: 'acc_bob', scopes: ['admin'] },
};

export interface DomainAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
}

/** Domains on a real database and a real web server, with a DNS of the test's own. */
export interface DomainFixture extends AsyncDisposable {
  /** A folder of its own. */
  readonly folder: string;
  readonly db: Kysely<Database>;
  readonly clock: FakeClock;
  readonly audit: AuditLog;
  readonly domains: Domains;
  readonly api: Api;
  /** What `onChange` was told. */
  readonly changes: DomainChange[];
  /** TXT records by name. */
  readonly txt: Map<string, string[]>;
  /** Addresses by host; the web server's own where there is no entry. */
  readonly addresses: Map<string, string[]>;
  /** Answers what is asked of the web server; 404 by default. */
  web: (request: IncomingMessage, response: ServerResponse) => void;
  /** Requests that the web server saw. */
  readonly asked: string[];
  call(method: string, route: string, json?: unknown, key?: string): Promise<DomainAnswer>;
  /** Adds a domain and returns it. */
  add(domain: string, deployment: string, key?: string): Promise<Domain>;
  /** Publishes the TXT record of a domain. */
  publish(domain: Domain): void;
  deployment(name: string, account: string): Promise<void>;
}

/** @param plugin sees the queries of the domains */
export async function createDomainFixture(
  options: Partial<CreateDomainsOptions> = {},
  plugin?: KyselyPlugin,
): Promise<DomainFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-domains-'));
  const { db, close } = await openTestDatabase(path.join(folder, 'berth.db'));
  // Fails when a change of routes is told once more for each conflict.
  rehearseTransactions(db);
  const clock = createFakeClock();
  const ids = createIdSource();
  const audit = createAuditLog({ db, clock, ids });
  const changes: DomainChange[] = [];
  const txt = new Map<string, string[]>();
  const addresses = new Map<string, string[]>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    fixture.web(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  for (const id of ['acc_alice', 'acc_bob']) {
    await db.insertInto('accounts').values({ id, name: id, plan: 'free', is_operator: 0, created_at: 0 }).execute();
  }
  const domains = createDomains({
    db: plugin ? db.withPlugin(plugin) : db,
    clock,
    logger: createSilentLogger(),
    audit,
    ownDomains: ['apps.example'],
    privateNetworks: ['127.0.0.1/32'],
    httpPort: (server.address() as AddressInfo).port,
    resolver: {
      resolveTxt: async (name) => txt.get(name) ?? absent(),
      resolveAddresses: async (host) => addresses.get(host) ?? ['127.0.0.1'],
    },
    onChange: (change) => void changes.push(change),
    ...options,
  });
  const api = createApi({ logger: createSilentLogger(), clock, ids, authenticate });
  registerDomainRoutes(api, { domains, urlOf: (name) => `https://${name}.apps.example:8443` });
  const fixture: DomainFixture = {
    folder,
    db,
    clock,
    audit,
    domains,
    api,
    changes,
    txt,
    addresses,
    asked,
    web: (_request, response) => void response.writeHead(404).end(),
    async call(method, route, json, key = 'alice') {
      const headers = { 'X-API-Key': key, ...(json === undefined ? {} : { 'Content-Type': 'application/json' }) };
      const answer = await api.request(route, {
        method,
        headers,
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    async add(domain, deployment, key) {
      const { status, body } = await fixture.call(
        'POST',
        '/v1/domain/add',
        { domain, deployment_name: deployment },
        key,
      );
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    },
    publish: ({ proof }) => void txt.set(proof.txt.name, [...(txt.get(proof.txt.name) ?? []), proof.txt.value]),
    async deployment(name, account) {
      const store = createDeploymentStore(db);
      await store.claim(account as AccountId, name, clock.nowMs());
      await store.update(account as AccountId, name, { status: 'ready', updatedAtMs: clock.nowMs() });
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await close();
      rmSync(folder, { recursive: true });
    },
  };
  await fixture.deployment('shop', 'acc_alice');
  await fixture.deployment('blog', 'acc_alice');
  await fixture.deployment('bobs', 'acc_bob');
  return fixture;
}

function absent(): never {
  throw Object.assign(new Error('no such record'), { code: 'ENODATA' });
}

async function authenticate(headers: Headers) {
  const key = KEYS[headers.get('x-api-key') ?? ''];
  if (!key) throw createError('unauthenticated', 'no such key');
  const accountId = key.account as AccountId;
  return { kind: 'key' as const, keyId: 'key_1', accountId, scopes: key.scopes, isOperator: false };
}
