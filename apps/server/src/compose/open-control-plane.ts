import path from 'node:path';
import { type Api, createAccountServices, createIdentity } from '@berth/accounts';
import type { CertificateInfo } from '@berth/certificates';
import {
  createAlerts,
  createControlApi,
  createDeployments,
  createDomains,
  createExec,
  createGitPushes,
  createReceiveCommit,
  createRepositories,
  createSchedules,
  createSignedUrls,
  createTunnels,
  createVolumes,
  createWebhookAccess,
  type Domains,
} from '@berth/control';
import type { GatewayControl, TrafficRule } from '@berth/gateway';
import { BerthError } from '@berth/kit';
import { createMcpEndpoint } from '@berth/mcp';
import type { Runtime } from '@berth/runtime';
import { sql } from 'kysely';
import { localApiUrl, type ServiceAddresses } from '../addresses/service-address.ts';
import { adoptDataFolder } from '../backup/adopt-data-folder.ts';
import { backedUpBuckets } from '../backup/backed-up-buckets.ts';
import { createBackups } from '../backup/create-backups.ts';
import { openBuilder } from '../builder/open-builder.ts';
import type { PartOptions } from '../context/part-options.ts';
import { MASTER_KEY_NAME } from '../data-folder/master-key.ts';
import { ensureOperatorKey, type OperatorKey } from '../data-folder/operator-key.ts';
import { volumesFolder } from '../data-folder/platform-folders.ts';
import { createSealers } from '../data-folder/platform-secrets.ts';
import { requireRoom } from '../disk/disk-room.ts';
import { registerDocsRoutes } from '../docs/register-docs-routes.ts';
import { createAgentLibrary } from '../library/agent-library.ts';
import { registerNpmRoutes } from '../library/register-npm-routes.ts';
import type { RequestHandler } from '../listeners/front-door.ts';
import type { Machine } from '../machine/machine.ts';
import type { EnsureArtifact } from '../machine/with-artifacts.ts';
import { createTransfer } from '../mcp/create-transfer.ts';
import { registerMcpRoutes } from '../mcp/register-mcp-routes.ts';
import { createSecretStore } from '../secret-store/create-secret-store.ts';
import { openSharedObjects, openStorage } from '../storage/open-storage.ts';
import { createCronCaller } from './cron-caller.ts';
import { openGit } from './open-git.ts';
import { openKeptBackups } from './open-kept-backups.ts';
import { openLogExport } from './open-log-export.ts';
import { openMail } from './open-mail.ts';
import { openOidcProviders } from './open-oidc-providers.ts';
import type { State } from './open-state.ts';

/** The control plane: accounts, deployments, deploys, domains and their API. */
export interface ControlPlane {
  readonly api: Api;
  readonly domains: Domains;
  /** Undefined on a server that joined others and was given no key. */
  readonly operatorKey: OperatorKey | undefined;
  /** True when this start created the data folder and the operator's account. */
  readonly isFirstRun: boolean;
  /** Serves signed URLs on the public ports. */
  readonly serveStorage: RequestHandler;
  /** Issues the secret of the link that creates the first account, and invalidates earlier links; undefined when an account exists. */
  issueFirstRun(): Promise<string | undefined>;
  /** Fetches an artifact that this server doesn't have; undefined on a platform of one server. */
  readonly ensureArtifact: EnsureArtifact | undefined;
  /** The port of the storage listener, once started. */
  storagePort(): number;
  /** Registers the serving revisions and resumes what a crash interrupted. Call it before requests are accepted. */
  start(): Promise<void>;
}

/** The part of the machine that the control plane needs. */
export interface ControlledMachine extends Pick<Machine, 'builds' | 'workRoot' | 'git'> {
  readonly runtime: Pick<Runtime, 'capabilities' | 'connect' | 'exec' | 'forget' | 'mountPolicy'>;
}

/** Options of {@link openControlPlane}. */
export interface OpenControlPlaneOptions extends PartOptions {
  readonly state: State;
  readonly gateway: GatewayControl;
  readonly machine: ControlledMachine;
  readonly addresses: ServiceAddresses;
  /** The plain port, where schedules call services. */
  readonly listenPort: number;
  /** Verified custom domains and their deployments. The control plane fills it; `addresses` reads it. */
  readonly domainTable: Map<string, string>;
  /** Gives the splits and tags to all processes that serve requests; resolves when they have them. */
  onTraffic(rules: readonly TrafficRule[]): void | Promise<void>;
  /** The TLS certificates that are served now. */
  certificates(): readonly CertificateInfo[];
  /** Called when a domain was verified, moved or removed. The API answers after it resolves. */
  onDomainsChanged(): void | Promise<void>;
}

/** Running builds are not awaited: the next start resumes them. */
const DEPLOYS_CLOSE_MS = 2_000;
/** Calls of schedules are not awaited either: they are retried. */
const SCHEDULES_CLOSE_MS = 2_000;

/** Webhooks that are cut off are sent again. */
const ALERTS_CLOSE_MS = 2_000;

/** Commits that are being fetched are fetched again. */
const REPOSITORIES_CLOSE_MS = 2_000;

/** Opens the control plane on a gateway in this or another process. */
export async function openControlPlane(options: OpenControlPlaneOptions): Promise<ControlPlane> {
  const { config, clock, ids, logger, shutdown, state, gateway, machine, addresses, domainTable } = options;
  const { db, cluster, logs, metrics, secrets, folders, billing } = state;
  const common = { db, clock, ids, logger, cluster, leaseMs: config.leaseSeconds * 1_000 };
  const sealers = createSealers(secrets);
  const [authSecret, ...otherAuthSecrets] = secrets.sessionSecrets as readonly [string, ...string[]];
  const mail = openMail(options, state, sealers.environment);
  const accounts = createAccountServices({
    ...common,
    authSecret,
    otherAuthSecrets,
    baseUrl: addresses.apiUrl,
    consoleHosts: addresses.consoleHosts,
    oidcProviders: openOidcProviders(config),
    mail,
    isShared: config.isShared,
  });
  const identity = createIdentity({
    ...common,
    accounts,
    notices: cluster,
    sealer: sealers.identity,
    issuer: addresses.apiUrl,
    urlOf: addresses.serviceUrl,
  });
  const domains = createDomains({
    ...common,
    audit: accounts.audit,
    ownDomains: addresses.platformHosts,
    privateNetworks: config.domainNetworks,
    // The table keeps in step with the database, so that routing a request costs one lookup.
    onChange({ domain, deployment }) {
      if (deployment === null) domainTable.delete(domain);
      else domainTable.set(domain, deployment);
      return options.onDomainsChanged();
    },
  });
  const operatorKey = await ensureOperatorKey({
    dataFolder: folders.data,
    accounts: accounts.accounts,
    bootstrapKey: config.bootstrapKey,
    isShared: config.isShared,
  });
  if (operatorKey === undefined) logger.info({ data: folders.data }, 'joined a database that other servers use');
  const library = createAgentLibrary();
  shutdown.push('agent library', () => library.close());
  const objects = await openSharedObjects(options);
  const { builds, workRoot } = machine;
  const builder = await openBuilder({ ...options, builds, workRoot, library, objects });
  shutdown.push('builder', async () => builder.close?.());
  await adoptDataFolder({ db, folders, workRoot, builder, logger, isShared: config.isShared });
  const storage = await openStorage({ ...options, workRoot, secrets: secrets.storageKeys });
  const volumes = createVolumes({
    ...common,
    store: storage.store,
    audit: accounts.audit,
    entitlements: billing.entitlements,
  });
  shutdown.push('volumes', () => volumes.close());
  const mounts = { mountProblem: volumes.mountProblem, mountPolicy: machine.runtime.mountPolicy };
  const deployments = createDeployments({
    ...common,
    patientDb: state.patientDb,
    gateway,
    logs,
    builder,
    audit: accounts.audit,
    sealer: sealers.environment,
    urlOf: addresses.serviceUrl,
    volumeFolder: volumes.folder,
    openObject: volumes.openObject,
    ...mounts,
    async forgetRoutes(account, name) {
      await domains.removeAll(account, name);
      await pushes.forget(account, name);
      await repositories.forget(account, name);
    },
    unmountedVolumes: (await areMountsSure(machine.runtime)) ? undefined : volumesFolder(config, workRoot),
    forgetOwner: (owner) => machine.runtime.forget(owner),
    identity,
    readExternal:
      config.secretsCommand &&
      createSecretStore({ command: config.secretsCommand, environment: options.environment, logger }),
    environmentPrefixes: config.envPrefixes,
    reservedNames: config.reservedNames,
    maxBuilds: config.parallelBuilds,
    keptRevisions: config.keptRevisions,
    onDeployEnded: metrics?.onDeployEnded,
    entitlements: billing.entitlements,
    onBuildSeconds: billing.onBuildSeconds,
    onTraffic: options.onTraffic,
  });
  shutdown.push('deployments', () => deployments.close(DEPLOYS_CLOSE_MS));
  shutdown.push('canaries', () => state.canaries.close());
  const git = openGit(config, machine);
  const pushes = createGitPushes({
    ...{ ...common, ...mounts, git, builder, deployments, reservedNames: config.reservedNames },
    objects: storage.store,
    audit: accounts.audit,
    entitlements: billing.entitlements,
    apiUrl: addresses.apiUrl,
  });
  const schedules = createSchedules({
    ...common,
    logs,
    audit: accounts.audit,
    sealer: sealers.environment,
    callCron: createCronCaller({
      clock,
      host: config.host,
      port: options.listenPort,
      gatewaySecret: secrets.cookieKey,
      urlOf: addresses.serviceUrl,
    }),
  });
  shutdown.push('schedules', () => schedules.close(SCHEDULES_CLOSE_MS));
  const access = createWebhookAccess(config.webhookNetworks);
  const repositories = createRepositories({
    ...{ ...common, ...mounts },
    ...{ access, deployments, builder, git, receiveCommit: createReceiveCommit(git, builder) },
    audit: accounts.audit,
    sealer: sealers.environment,
    urlOf: addresses.serviceUrl,
    baseUrl: addresses.apiUrl,
    entitlements: billing.entitlements,
    reservedNames: config.reservedNames,
  });
  shutdown.push('repositories', () => repositories.close(REPOSITORIES_CLOSE_MS));
  const alerts = createAlerts({
    ...common,
    audit: accounts.audit,
    sealer: sealers.environment,
    counts: state.counts,
    entitlements: billing.entitlements,
    outbox: mail?.outbox,
    baseUrl: addresses.apiUrl,
    webhookNetworks: config.webhookNetworks,
    certificates: options.certificates,
  });
  shutdown.push('alerts', () => alerts.close(ALERTS_CLOSE_MS));
  const backups = createBackups({
    folders,
    clock,
    logger,
    version: options.version,
    workRoot: machine.workRoot,
    hasVolumes: config.s3Bucket === undefined && config.sharedFolder === undefined,
    hasMasterKey: secrets.place === path.join(folders.data, MASTER_KEY_NAME),
    buckets: backedUpBuckets(config),
    databaseUrl: config.databaseUrl,
  });
  const keptBackups = await openKeptBackups(options, state, backups);
  const logExport = await openLogExport(options, state);
  const exec = createExec({ ...common, gateway, runtime: machine.runtime, audit: accounts.audit });
  shutdown.push('commands', () => exec.close());
  const tunnels = createTunnels({ ...common, gateway, runtime: machine.runtime, audit: accounts.audit });
  shutdown.push('connections to ports', () => tunnels.close());
  const api = createControlApi({
    ...common,
    exec,
    tunnels,
    accounts,
    deployments,
    pushes,
    logs,
    billing,
    repositories,
    schedules,
    alerts,
    sql: state.sql,
    resources: state.resources,
    activity: state.activity,
    volumes: { volumes, urls: createSignedUrls({ ...storage, clock }) },
    createBackup: backups.create,
    keptBackups,
    identity,
    domains,
    urlOf: addresses.serviceUrl,
    apiUrl: addresses.apiUrl,
    isSignUpAllowed: config.signUp,
    capabilities: async () => {
      const ofMail = mail ? [await mail.capability()] : [];
      const ofBackups = keptBackups ? [await keptBackups.capability()] : [];
      const ofLogs = logExport ? [logExport.capability()] : [];
      const ofMachine = [...(await machine.runtime.capabilities()), ...(await builder.capabilities())];
      const all = [...ofMachine, ...ofMail, ...ofBackups, ...ofLogs];
      // A builder may know better: its first build has tried the network.
      return [...new Map(all.map((capability) => [capability.id, capability])).values()];
    },
    readinessChecks: [
      { name: 'database', check: () => sql`select 1`.execute(db).then(nothingToSay) },
      { name: 'logs', check: () => logs.flush().then(() => describeDamage(logs.damagedSegments)) },
      { name: 'disk', check: () => requireRoom(folders.data, 'The database and the logs').then(nothingToSay) },
      { name: 'work-disk', check: () => requireRoom(machine.workRoot, 'Builds and volumes').then(nothingToSay) },
      ...(config.sharedFolder === undefined ? [] : [checkSharedFolder(config.sharedFolder)]),
    ],
  });
  registerNpmRoutes(api, library, addresses.apiUrl);
  registerDocsRoutes(api, addresses.apiUrl);
  const endpoint = createMcpEndpoint({ version: options.version, clock, logger });
  shutdown.push('MCP server', () => endpoint.close());
  registerMcpRoutes(api, {
    endpoint,
    clock,
    apiUrl: addresses.apiUrl,
    ownOrigins: addresses.ownOrigins,
    authenticate: accounts.authenticate,
    findCaller: identity.findCaller,
    transfer: createTransfer({
      storageUrl: storage.storageUrl,
      localUrl: () => localApiUrl(config.host, storage.port()),
    }),
  });
  const storageHandler = storage.createHandler(volumes);
  return {
    api,
    domains,
    operatorKey,
    isFirstRun: folders.isFirstRun && (!config.isShared || operatorKey?.isFirst === true),
    serveStorage: storageHandler.handle,
    ensureArtifact: builder.shared?.ensure,
    // With a read-only database the platform still serves; the next start issues the link.
    issueFirstRun: () => accounts.firstRun.issue({ keepsOthers: config.isShared }).catch(orUnavailable),
    storagePort: storage.port,
    async start() {
      for (const [domain, deployment] of await domains.routes()) domainTable.set(domain, deployment);
      const endDomains = domains.follow();
      shutdown.push('domains', endDomains);
      await storage.serve(storageHandler);
      state.canaries.start();
      await deployments.start();
      if (config.schedules) schedules.start();
      volumes.start();
      mail?.start();
      repositories.start();
      alerts.start();
      keptBackups?.start();
      logExport?.start();
      billing.start();
    },
  };
}

function describeDamage(segments: number): string | undefined {
  if (segments === 0) return undefined;
  const what = segments === 1 ? '1 segment of logs is' : `${segments} segments of logs are`;
  return `${what} missing or damaged. Log queries omit their entries; the server log names the files.`;
}

const nothingToSay = () => undefined;

const checkSharedFolder = (folder: string) => ({
  name: 'shared-folder',
  check: () => requireRoom(folder, 'Volumes and build results').then(nothingToSay),
});

function orUnavailable(error: unknown): undefined {
  if (!BerthError.is(error, 'unavailable')) throw error;
}

/** True when services have a file system of their own. Without one they share the machine's paths, and nothing is mounted. */
async function areMountsSure(runtime: Pick<Runtime, 'capabilities'>): Promise<boolean> {
  const sandbox = (await runtime.capabilities()).find(({ id }) => id === 'sandbox');
  return sandbox === undefined || sandbox.status === 'enforced';
}
