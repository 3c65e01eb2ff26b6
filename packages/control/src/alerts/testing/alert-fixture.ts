import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApi, createAuditLog } from '@berth/accounts';
import { createError, type PlanLimits } from '@berth/contract';
import { createTestSealer, openTestDatabase } from '@berth/database/testing';
import { type AccountId, createIdSource, createSilentLogger } from '@berth/kit';
import { createMailOutbox } from '@berth/mail';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { Webhook } from 'standardwebhooks';
import { type CreateAlertsOptions, createAlerts } from '../create-alerts.ts';
import { registerAlertRoutes } from '../routes/register-alert-routes.ts';
import { createServiceCounts } from '../service-counts.ts';

/** Accounts with a deployment of the same name behind a hyphen. */
const ACCOUNTS = ['alice', 'bob'] as const;

/** Alerts of two accounts over a real database, with a clock that is moved. */
export async function createAlertFixture(options: Partial<CreateAlertsOptions> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-alerts-'));
  const { db, close } = await openTestDatabase(path.join(folder, 'berth.db'));
  const clock = createFakeClock(Date.now());
  const ids = createIdSource(() => clock.nowMs());
  const logger = createSilentLogger();
  const sealer = createTestSealer();
  const common = { db, clock, ids, logger, sealer };
  for (const name of ACCOUNTS) {
    const time = { created_at: 0, updated_at: 0 };
    await db
      .insertInto('accounts')
      .values({ id: `acc_${name}`, name, plan: 'free', is_operator: 0, created_at: 0 })
      .execute();
    const person = { id: `usr_${name}`, name, email: `${name}@example.com`, email_verified: 1, ...time };
    await db.insertInto('auth_users').values(person).execute();
    const member = { account_id: `acc_${name}`, user_id: `usr_${name}`, role: 'owner' as const, created_at: 0 };
    await db.insertInto('account_members').values(member).execute();
    for (const service of ['shop', 'blog']) {
      const row = {
        name: `${service}-${name}`,
        account_id: `acc_${name}`,
        status: 'ready' as const,
        settings: '{}',
        ...time,
      };
      await db
        .insertInto('deployments')
        .values({ ...row, environment_version: 0, current_revision: null, last_deploy: null })
        .execute();
    }
  }
  const outbox = createMailOutbox(common);
  const audit = createAuditLog(common);
  const limits = { storage_bytes: 1_000 } as PlanLimits;
  const entitlements = { planOf: async () => ({ name: 'free', limits }) as never };
  const boot = (server: string) => {
    const counts = createServiceCounts({ db, clock, server });
    const alerts = createAlerts({
      ...{ ...common, audit, counts, entitlements, outbox, baseUrl: 'http://localhost:8787' },
      webhookNetworks: ['127.0.0.1/32'],
      ...options,
    });
    return { counts, alerts };
  };
  const { counts, alerts } = boot('one');
  const api = createApi({
    ...{ logger, clock, ids },
    async authenticate(headers) {
      const name = headers.get('x-api-key') ?? '';
      if (!ACCOUNTS.includes(name as 'alice')) throw createError('unauthenticated', 'Send a key.');
      const accountId = `acc_${name}` as AccountId;
      return { kind: 'key', keyId: 'key_1', isOperator: false, accountId, scopes: ['read', 'deploy'] };
    },
  });
  registerAlertRoutes(api, alerts);
  const receiver = await startReceiver();
  return {
    ...{ db, clock, counts, alerts, boot, receiver },
    /** Calls a route as `alice` unless another is named. */
    async call(method: string, route: string, json?: unknown, key = 'alice') {
      const init = { method, headers: { 'X-API-Key': key, 'Content-Type': 'application/json' } };
      const response = await api.request(route, json === undefined ? init : { ...init, body: JSON.stringify(json) });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
      return { status: response.status, body: (await response.json()) as any };
    },
    /** Lets time pass until `condition` holds. */
    until: (what: string, condition: () => boolean | Promise<boolean>) =>
      waitUntil(what, async () => {
        await clock.elapse(1_000);
        return condition();
      }),
    /** As the gateway reports them. */
    crash(deployment: string, times: number): void {
      const event = { kind: 'crashed', account: `acc_${deployment.split('-')[1]}`, deployment } as never;
      for (let i = 0; i < times; i++) counts.gatewayListener.onInstance(event);
    },
    request(deployment: string, status: number, latencyMs: number, times: number): void {
      const record = { account: `acc_${deployment.split('-')[1]}`, deployment, status, latencyMs } as never;
      for (let i = 0; i < times; i++) counts.gatewayListener.onRequest(record);
    },
    mails: async () => await db.selectFrom('mail_outbox').select(['recipient', 'kind']).orderBy('id').execute(),
    async [Symbol.asyncDispose]() {
      void alerts.close(0);
      await receiver.close();
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A request of a webhook. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A server that receives webhooks and answers `status`. */
async function startReceiver() {
  const received: ReceivedWebhook[] = [];
  const state = { status: 204 };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      received.push({ id: headers['webhook-id'] ?? '', headers, body });
      response.writeHead(state.status, { location: 'http://169.254.169.254/' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return {
    ...{ url, received, state },
    /** Checks a request as receivers do. @throws when its signature is wrong */
    verify: ({ body, headers }: ReceivedWebhook, secret: string) =>
      new Webhook(secret).verify(body, headers) as { type: string; data: Record<string, unknown> },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
