import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseMemory } from '@berth/contract';
import { createAccountServices, createControlApi, createDeployments, createServiceLog } from '@berth/control';
import { openDatabase } from '@berth/database';
import { createGateway } from '@berth/gateway';
import type { Clock, IdSource, Logger } from '@berth/kit';
import { createFileLogStore } from '@berth/logstore';
import type { Capability } from '@berth/runtime';
import { sql } from 'kysely';
import { openAdmin } from './admin/open-admin.ts';
import type { Config } from './config/read-config.ts';
import { createCustomDomains } from './custom-domains.ts';
import { lockDataFolder } from './data-folder-lock.ts';
import { createFrontDoor } from './front-door.ts';
import { hostMemoryBytes } from './host-memory.ts';
import { landingPage } from './landing-page.ts';
import { listen } from './listen.ts';
import { createPlatformMetrics } from './metrics/create-platform-metrics.ts';
import { fanOutGatewayEvents } from './metrics/fan-out-gateway-events.ts';
import { openMachine } from './open-machine.ts';
import { openTls, type Tls } from './open-tls.ts';
import { ensureOperatorKey, type OperatorKey } from './operator-key.ts';
import { createVolumeFolders, preparePlatformFolders } from './platform-folders.ts';
import { loadPlatformSecrets } from './platform-secrets.ts';
import { createServiceAddresses, type ServiceAddresses } from './service-address.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';

/** What a platform is started with. */
export interface StartPlatformOptions {
  readonly config: Config;
  readonly version: string;
  /** The server's own environment; only what builds need of the network is read from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/** A running platform. */
export interface Platform {
  readonly addresses: ServiceAddresses;
  readonly operatorKey: OperatorKey;
  /** True when this start made the data folder. */
  readonly isFirstRun: boolean;
  readonly runtimeName: string;
  /** Base URL of the admin listener, when there is one. */
  readonly adminUrl: string | undefined;
  /** What the runtime can isolate and limit on this machine. */
  protections(): Promise<readonly Capability[]>;
  /** Looks at the certificate files now. */
  reloadCertificates(): Promise<void>;
  /** Stops taking requests, lets what runs finish for a while, stops every instance. Idempotent. */
  close(): Promise<void>;
}

/** Requests that run get this long to end when the platform stops. */
const DRAIN_MS = 10_000;
/** A build is not waited for: the next start takes it up. */
const DEPLOYS_CLOSE_MS = 2_000;
/** On a domain of the operator's, addresses are printed as a proxy with TLS in front serves them. */
const DEFAULT_PUBLIC_PORT = 443;

/**
 * Composes the platform and opens its port. When this fails, all that was opened is closed again.
 * @throws BerthError `conflict` when the folder or the port is taken; `unavailable` when the database is damaged.
 */
export async function startPlatform(options: StartPlatformOptions): Promise<Platform> {
  const shutdown = createShutdown(options.logger);
  try {
    return await compose(options, shutdown);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function compose(options: StartPlatformOptions, shutdown: Shutdown): Promise<Platform> {
  const { config, clock, ids, logger } = options;
  const folders = preparePlatformFolders(config.dataFolder);
  const lock = lockDataFolder(folders.data);
  shutdown.push('lock', () => lock.release());
  const isFirstRun = !existsSync(folders.database);
  const secrets = loadPlatformSecrets(folders.data);
  const { db, close: closeDatabase } = await openDatabase({ file: folders.database, logger });
  shutdown.push('database', closeDatabase);

  const door = createFrontDoor();
  const listener = await listen({ host: config.host, port: config.port }, door);
  shutdown.push('listener', () => listener.close());
  let tls: Tls | undefined;
  // Built before the deployments, whose deletion gives their domains up.
  const findCustomDomain = (host: string) => custom.find(host);
  const addresses = createServiceAddresses({
    findCustomDomain,
    domain: config.domain,
    scheme: config.publicScheme ?? (config.domain === 'localhost' ? 'http' : 'https'),
    port: config.publicPort ?? (config.domain === 'localhost' ? listener.port : DEFAULT_PUBLIC_PORT),
  });
  const accounts = createAccountServices({
    ...{ db, clock, ids, logger },
    authSecret: secrets.sessionSecret,
    baseUrl: addresses.apiUrl,
  });
  const custom = createCustomDomains(
    {
      ...{ db, clock },
      audit: accounts.audit,
      ownDomains: addresses.platformHosts,
      privateNetworks: config.domainNetworks,
    },
    () => tls?.acme?.setNames([...addresses.platformHosts, ...custom.names()]),
  );
  const operatorKey = await ensureOperatorKey({
    dataFolder: folders.data,
    accounts: accounts.accounts,
    bootstrapKey: config.bootstrapKey,
  });

  const logs = createFileLogStore({
    ...{ folder: folders.logs, clock, logger },
    limits: { maxAgeMs: config.logRetentionDays * 24 * 3_600_000 },
  });
  shutdown.push('logs', () => logs.close());
  const machine = await openMachine({ ...options, dataFolder: folders.data, shutdown });
  // Nothing is measured that nobody can read.
  const metrics = config.adminPort === undefined ? undefined : createPlatformMetrics({ version: options.version });
  const gateway = createGateway({
    ...{ runtime: machine.runtime, clock, ids, logger },
    events: fanOutGatewayEvents(createServiceLog({ logs, clock }), metrics ? [metrics.listener] : []),
    secret: secrets.cookieKey,
    policy: {
      idleTimeoutMs: config.idleTimeoutSeconds * 1_000,
      startTimeoutMs: config.startTimeoutSeconds * 1_000,
    },
    budget: { memoryBytes: memoryBudget(config), simultaneousStarts: 2 * availableParallelism() },
  });
  shutdown.push('gateway', () => gateway.close({ drainMs: DRAIN_MS }));
  const deployments = createDeployments({
    ...{ db, clock, ids, logger, gateway, logs },
    builder: machine.builder,
    audit: accounts.audit,
    secretKey: secrets.environmentKey,
    urlOf: addresses.serviceUrl,
    volumeFolder: createVolumeFolders(machine.volumesFolder),
    forgetRoutes: custom.domains.removeAll,
    forgetOwner: (owner) => machine.runtime.forget(owner),
    environmentPrefixes: config.envPrefixes,
    reservedNames: config.reservedNames,
    maxBuilds: config.parallelBuilds,
    onDeployEnded: metrics?.onDeployEnded,
  });
  shutdown.push('deployments', () => deployments.close(DEPLOYS_CLOSE_MS));
  const api = createControlApi({
    ...{ db, clock, ids, logger, accounts, deployments, logs },
    domains: custom.domains,
    urlOf: addresses.serviceUrl,
    isSignUpAllowed: config.signUp,
    capabilities: machine.capabilities,
    readinessChecks: [
      { name: 'database', check: async () => void (await sql`select 1`.execute(db)) },
      { name: 'logs', check: () => logs.flush() },
    ],
  });
  await custom.load();
  await deployments.start();
  door.open({
    ...{ addresses, gateway },
    fetchApi: api.fetch,
    findProof: async (host, pathname) =>
      tls?.acme?.challenges.find(pathname) ?? (await custom.domains.findProof(host, pathname)),
    landingPage: landingPage({ apiUrl: addresses.apiUrl, domain: config.domain }),
  });
  tls = await openTls({
    ...{ config, clock, logger, shutdown },
    dataFolder: folders.data,
    apiHost: new URL(addresses.apiUrl).hostname,
    handlers: door,
  });
  // After the plain port is open: it is there that an authority looks for the proofs.
  tls?.acme?.setNames([...addresses.platformHosts, ...custom.names()]);
  let adminUrl: string | undefined;
  if (metrics !== undefined && config.adminPort !== undefined) {
    const admin = await openAdmin(
      { host: config.adminHost, port: config.adminPort },
      { logger, metricsType: metrics.contentType, scrape: () => metrics.scrape(gateway.loads()), fetchApi: api.fetch },
    );
    shutdown.push('admin listener', () => admin.close());
    adminUrl = admin.url;
  }
  return {
    ...{ adminUrl, addresses, operatorKey, isFirstRun },
    reloadCertificates: async () => tls?.reload(),
    runtimeName: machine.runtime.name,
    protections: () => machine.runtime.capabilities(),
    close: () => shutdown.run(),
  };
}

function memoryBudget(config: Config): number {
  return (config.memoryBudget && parseMemory(config.memoryBudget)) || hostMemoryBytes();
}
