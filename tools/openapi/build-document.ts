import { createAccountServices, createIdentity, openApiDocument } from '@berth/accounts';
import { CONTAINER_MOUNTS } from '@berth/contract';
import {
  createAlerts,
  createBilling,
  createControlApi,
  createDeployments,
  createDomains,
  createGitPushes,
  createRepositories,
  createRequestActivity,
  createSchedules,
  createServiceCounts,
  createSignedUrls,
  createVolumes,
  createWebhookAccess,
  DEFAULT_PRICE_BOOK,
  selfHostedPlans,
} from '@berth/control';
import { openDatabase } from '@berth/database';
import { createTestSealer } from '@berth/database/testing';
import { createGit } from '@berth/git';
import { registeredRoutes } from '@berth/http';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { createFakeBuilder, createFakeGateway, createFakeLogStore, createFakeObjectStore } from '@berth/testkit';
import type { DescribedApi } from './described-api.ts';

/** Describes the control plane's API from the routes as the server registers them; no handler is called. */
export async function buildDocument(): Promise<DescribedApi> {
  const { db, close } = await openDatabase({ file: ':memory:' });
  const clock = createSystemClock();
  const ids = createIdSource();
  const logger = createSilentLogger();
  const urlOf = (name: string) => `http://${name}.localhost:8787`;
  const accounts = createAccountServices({
    db,
    clock,
    ids,
    logger,
    authSecret: 'x'.repeat(32),
    baseUrl: 'http://localhost:8787',
  });
  const logs = createFakeLogStore(() => clock.nowMs());
  const billing = createBilling({
    db,
    clock,
    logger,
    prices: DEFAULT_PRICE_BOOK,
    plans: selfHostedPlans(30),
  });
  const deployments = createDeployments({
    db,
    clock,
    ids,
    logger,
    logs,
    builder: createFakeBuilder('/nowhere'),
    gateway: createFakeGateway(),
    audit: accounts.audit,
    sealer: createTestSealer(),
    urlOf,
    volumeFolder: async () => ({ volume: 'nowhere', subPath: '' }),
    mountPolicy: CONTAINER_MOUNTS,
    forgetOwner: async () => {},
    entitlements: billing.entitlements,
  });
  const store = createFakeObjectStore({ clock });
  const pushes = createGitPushes({
    ...{ db, clock, logger, deployments, objects: store, builder: createFakeBuilder('/nowhere') },
    git: createGit({ sandbox: undefined, workFolder: '/nowhere' }),
    audit: accounts.audit,
    entitlements: billing.entitlements,
    mountPolicy: CONTAINER_MOUNTS,
    reservedNames: [],
    apiUrl: 'http://localhost:8787',
  });
  const api = createControlApi({
    db,
    clock,
    ids,
    logger,
    accounts,
    deployments,
    pushes,
    logs,
    billing,
    sql: { run: async () => '[]' },
    resources: { list: async () => [] },
    exec: {
      reserve: () => {
        throw new Error('nothing behind the routes is called');
      },
    },
    tunnels: {
      reserve: () => {
        throw new Error('nothing behind the routes is called');
      },
    },
    activity: createRequestActivity({ clock, logger, sql: { run: async () => '[]' } }),
    createBackup: async () => {
      throw new Error('nothing behind the routes is called');
    },
    keptBackups: undefined,
    alerts: createAlerts({
      ...{ db, clock, ids, logger, audit: accounts.audit, sealer: createTestSealer() },
      counts: createServiceCounts({ db, clock, server: '' }),
      entitlements: billing.entitlements,
      outbox: undefined,
      baseUrl: 'http://localhost:8787',
      webhookNetworks: [],
    }),
    repositories: createRepositories({
      ...{ db, clock, ids, logger, audit: accounts.audit, sealer: createTestSealer(), deployments, urlOf },
      entitlements: billing.entitlements,
      access: createWebhookAccess([]),
      builder: createFakeBuilder('/nowhere'),
      receiveCommit: async () => {
        throw new Error('nothing behind the routes is called');
      },
      git: { readHostKey: async () => '' },
      baseUrl: 'http://localhost:8787',
      reservedNames: [],
      mountPolicy: CONTAINER_MOUNTS,
    }),
    schedules: createSchedules({
      db,
      clock,
      ids,
      logger,
      logs,
      audit: accounts.audit,
      sealer: createTestSealer(),
      callCron: async () => 204,
    }),
    volumes: {
      volumes: createVolumes({
        db,
        clock,
        logger,
        store,
        audit: accounts.audit,
        entitlements: billing.entitlements,
      }),
      urls: createSignedUrls({
        store,
        clock,
        signer: { sign: () => ({ expires: 0, key: '', signature: '' }) },
        storageUrl: () => 'http://localhost:8788',
      }),
    },
    domains: createDomains({ db, clock, logger, audit: accounts.audit, ownDomains: ['localhost'] }),
    identity: createIdentity({
      db,
      clock,
      logger,
      accounts,
      urlOf,
      sealer: createTestSealer(),
      issuer: 'http://localhost:8787',
    }),
    urlOf,
    apiUrl: 'http://localhost:8787',
    isSignUpAllowed: false,
    readinessChecks: [],
    capabilities: async () => [],
  });
  const document = openApiDocument(api);
  await billing.close();
  await close();
  return { document, routes: registeredRoutes(api) };
}
