import { type Api, createAccountServices, createIdentity } from '@berth/accounts';
import { createControlApi, createDeployments, createSchedules, createSignedUrls, createVolumes } from '@berth/control';
import type { GatewayControl } from '@berth/gateway';
import { BerthError } from '@berth/kit';
import type { Runtime } from '@berth/runtime';
import { sql } from 'kysely';
import type { ServiceAddresses } from '../addresses/service-address.ts';
import { adoptDataFolder } from '../backup/adopt-data-folder.ts';
import { createBackups } from '../backup/create-backups.ts';
import { openBuilder } from '../builder/open-builder.ts';
import type { PartOptions } from '../context/part-options.ts';
import { ensureOperatorKey, type OperatorKey } from '../data-folder/operator-key.ts';
import { requireRoom } from '../disk/disk-room.ts';
import type { RequestHandler } from '../listeners/front-door.ts';
import type { Machine } from '../machine/machine.ts';
import { openStorage } from '../storage/open-storage.ts';
import { createCronCaller } from './cron-caller.ts';
import { type CustomDomains, createCustomDomains } from './custom-domains.ts';
import { openOidcProviders } from './open-oidc-providers.ts';
import type { State } from './open-state.ts';

/** What the API's callers work with: accounts, deployments, domains. */
export interface ControlPlane {
  readonly api: Api;
  readonly custom: CustomDomains;
  readonly operatorKey: OperatorKey;
  /** Answers requests for signed URLs that came over another listener than that of the storage. */
  readonly serveStorage: RequestHandler;
  /** Secret of the link that makes the first person; undefined when there is one. An earlier link is good no more. */
  issueFirstRun(): Promise<string | undefined>;
  /** The port of the storage listener, once started. */
  storagePort(): number;
  /** Registers what serves, and takes up what a crash left. Requests are taken after it. */
  start(): Promise<void>;
}

/** Of the machine, what the control plane needs. */
export interface ControlledMachine extends Pick<Machine, 'builds' | 'workRoot'> {
  readonly runtime: Pick<Runtime, 'capabilities' | 'forget' | 'mountPolicy'>;
}

export interface OpenControlPlaneOptions extends PartOptions {
  readonly state: State;
  readonly gateway: GatewayControl;
  readonly machine: ControlledMachine;
  readonly addresses: ServiceAddresses;
  /** The plain port: schedules call services there. */
  readonly listenPort: number;
  /** Custom domains, filled here: `addresses` read it. */
  readonly domainTable: Map<string, string>;
  /** A domain was proven, moved or given up; its owner is told when this resolves. */
  onDomainsChanged(): void | Promise<void>;
}

/** A build is not waited for: the next start takes it up. */
const DEPLOYS_CLOSE_MS = 2_000;
/** Nor are the calls of schedules: they are tried again. */
const SCHEDULES_CLOSE_MS = 2_000;

/** Opens the control plane on a data plane, wherever that runs. */
export async function openControlPlane(options: OpenControlPlaneOptions): Promise<ControlPlane> {
  const { config, clock, ids, logger, shutdown, state, gateway, machine, addresses } = options;
  const { db, logs, metrics, secrets, folders, billing } = state;
  const accounts = createAccountServices({
    db,
    clock,
    ids,
    logger,
    authSecret: secrets.sessionSecret,
    baseUrl: addresses.apiUrl,
    consoleHosts: addresses.consoleHosts,
    oidcProviders: openOidcProviders(config),
  });
  const identity = createIdentity({
    db,
    clock,
    logger,
    accounts,
    secretKey: secrets.identityKey,
    issuer: addresses.apiUrl,
    urlOf: addresses.serviceUrl,
  });
  const custom = createCustomDomains(
    {
      db,
      clock,
      audit: accounts.audit,
      ownDomains: addresses.platformHosts,
      privateNetworks: config.domainNetworks,
    },
    options.domainTable,
    options.onDomainsChanged,
  );
  const operatorKey = await ensureOperatorKey({
    dataFolder: folders.data,
    accounts: accounts.accounts,
    bootstrapKey: config.bootstrapKey,
  });
  const builder = await openBuilder({ ...options, builds: machine.builds, workRoot: machine.workRoot });
  await adoptDataFolder({ db, folders, workRoot: machine.workRoot, builder, logger });
  const storage = await openStorage({ ...options, workRoot: machine.workRoot, secret: secrets.storageKey });
  const volumes = createVolumes({
    db,
    clock,
    logger,
    store: storage.store,
    audit: accounts.audit,
    entitlements: billing.entitlements,
  });
  shutdown.push('volumes', () => volumes.close());
  const deployments = createDeployments({
    db,
    clock,
    ids,
    logger,
    gateway,
    logs,
    builder,
    audit: accounts.audit,
    secretKey: secrets.environmentKey,
    urlOf: addresses.serviceUrl,
    volumeFolder: volumes.folder,
    openObject: volumes.openObject,
    mountProblem: volumes.mountProblem,
    mountPolicy: machine.runtime.mountPolicy,
    forgetRoutes: custom.domains.removeAll,
    areMountsSure: await areMountsSure(machine.runtime),
    forgetOwner: (owner) => machine.runtime.forget(owner),
    identity,
    environmentPrefixes: config.envPrefixes,
    reservedNames: config.reservedNames,
    maxBuilds: config.parallelBuilds,
    keptRevisions: config.keptRevisions,
    onDeployEnded: metrics?.onDeployEnded,
    entitlements: billing.entitlements,
    onBuildSeconds: billing.onBuildSeconds,
  });
  shutdown.push('deployments', () => deployments.close(DEPLOYS_CLOSE_MS));
  const schedules = createSchedules({
    db,
    clock,
    ids,
    logger,
    logs,
    audit: accounts.audit,
    secretKey: secrets.environmentKey,
    callCron: createCronCaller({
      clock,
      host: config.host,
      port: options.listenPort,
      gatewaySecret: secrets.cookieKey,
      urlOf: addresses.serviceUrl,
    }),
  });
  shutdown.push('schedules', () => schedules.close(SCHEDULES_CLOSE_MS));
  const backups = createBackups({
    folders,
    clock,
    logger,
    version: options.version,
    workRoot: machine.workRoot,
    hasVolumes: config.s3Bucket === undefined,
  });
  const api = createControlApi({
    db,
    clock,
    ids,
    logger,
    accounts,
    deployments,
    logs,
    billing,
    schedules,
    sql: state.sql,
    resources: state.resources,
    activity: state.activity,
    volumes: { volumes, urls: createSignedUrls({ ...storage, clock }) },
    createBackup: backups.create,
    identity,
    domains: custom.domains,
    urlOf: addresses.serviceUrl,
    apiUrl: addresses.apiUrl,
    isSignUpAllowed: config.signUp,
    capabilities: async () => [...(await machine.runtime.capabilities()), ...(await builder.capabilities())],
    readinessChecks: [
      { name: 'database', check: () => sql`select 1`.execute(db).then(nothingToSay) },
      { name: 'logs', check: () => logs.flush().then(() => describeDamage(logs.damagedSegments)) },
      { name: 'disk', check: () => requireRoom(folders.data, 'The database and the logs').then(nothingToSay) },
      { name: 'work-disk', check: () => requireRoom(machine.workRoot, 'Builds and volumes').then(nothingToSay) },
    ],
  });
  const serveStorage = storage.createHandler(volumes);
  return {
    api,
    custom,
    operatorKey,
    serveStorage,
    // A database that takes no writes still serves; the next start makes the link.
    issueFirstRun: () => accounts.firstRun.issue().catch(orUnavailable),
    storagePort: storage.port,
    async start() {
      await custom.load();
      await storage.serve(serveStorage);
      await deployments.start();
      if (config.schedules) schedules.start();
      volumes.start();
      billing.start();
    },
  };
}

function describeDamage(segments: number): string | undefined {
  if (segments === 0) return undefined;
  const what = segments === 1 ? '1 segment of logs is' : `${segments} segments of logs are`;
  return `${what} missing or damaged. Answers leave the entries out; the log of the server names the files.`;
}

const nothingToSay = () => undefined;

function orUnavailable(error: unknown): undefined {
  if (!BerthError.is(error, 'unavailable')) throw error;
}

/** Without a sandbox of its own a service shares the machine's paths, and nothing is mounted there. */
async function areMountsSure(runtime: Pick<Runtime, 'capabilities'>): Promise<boolean> {
  const sandbox = (await runtime.capabilities()).find(({ id }) => id === 'sandbox');
  return sandbox === undefined || sandbox.status === 'enforced';
}
