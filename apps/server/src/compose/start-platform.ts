import { createGateway } from '@berth/gateway';
import { createProxyTrust } from '@berth/kit/node';
import type { Capability } from '@berth/runtime';
import { createPlatformAddresses, localApiUrl, type ServiceAddresses } from '../addresses/service-address.ts';
import { openConsole } from '../console/open-console.ts';
import type { PartOptions } from '../context/part-options.ts';
import { openWithShutdown } from '../context/shutdown.ts';
import { lockDataFolder } from '../data-folder/data-folder-lock.ts';
import type { OperatorKey } from '../data-folder/operator-key.ts';
import { preparePlatformFolders } from '../data-folder/platform-folders.ts';
import { openPlatformSecrets } from '../data-folder/platform-secrets.ts';
import { createApiListener, createApiUpgrades } from '../listeners/api-listener.ts';
import { createFrontDoor } from '../listeners/front-door.ts';
import { createPlatformRedirect, type HttpsRedirect } from '../listeners/https-redirect.ts';
import { landingPage } from '../listeners/landing-page.ts';
import { listen } from '../listeners/listen.ts';
import { openMachine } from '../machine/open-machine.ts';
import { withArtifacts } from '../machine/with-artifacts.ts';
import { openTls, type Tls } from '../tls/open-tls.ts';
import { DRAIN_MS, gatewaySettings } from './gateway-settings.ts';
import { openClusterGateway } from './open-cluster-gateway.ts';
import { openControlPlane } from './open-control-plane.ts';
import { openMetrics } from './open-metrics.ts';
import { openState } from './open-state.ts';

/** Options of {@link startPlatform}. */
export type StartPlatformOptions = Omit<PartOptions, 'shutdown'>;

/** A running platform. */
export interface Platform {
  readonly addresses: Pick<ServiceAddresses, 'apiUrl'>;
  /** Base URL of the API for programs on this machine. */
  readonly localUrl: string;
  /** Undefined on a server that joined others and was given no key. */
  readonly operatorKey: OperatorKey | undefined;
  /** True when this start created the data folder and the operator's account. */
  readonly isFirstRun: boolean;
  /** Secret of the link that creates the first account; undefined when an account exists. */
  readonly firstRunSecret: string | undefined;
  readonly runtimeName: string;
  /** Base URL of the admin listener, when there is one. */
  readonly adminUrl: string | undefined;
  /** Returns what the runtime can isolate and limit on this machine. */
  protections(): Promise<readonly Capability[]>;
  /** Reloads the certificate files now. */
  reloadCertificates(): Promise<void>;
  /** Stops accepting requests, drains running ones, and stops every instance. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts the platform in this process and opens its port. On failure, everything opened so far is closed.
 * @throws BerthError `conflict` when the folder or the port is taken; `unavailable` when the database is damaged.
 */
export function startPlatform(options: StartPlatformOptions): Promise<Platform> {
  return openWithShutdown(options.logger, (shutdown) => compose({ ...options, shutdown }));
}

async function compose(options: PartOptions): Promise<Platform> {
  const { config, environment, clock, ids, logger, shutdown } = options;
  const folders = preparePlatformFolders(config.dataFolder, config.databaseUrl !== undefined);
  const lock = lockDataFolder(folders.data);
  shutdown.push('lock', () => lock.release());
  const secrets = await openPlatformSecrets({ config, folders, environment });
  const state = await openState({ ...options, secrets });
  // Before anything listens, because it refuses settings that are unsafe on this machine.
  let isOwned = (_deployment: string) => false;
  const machine = await openMachine({
    ...{ ...options, origin: state.folders.origin, serverId: secrets.serverId },
    isOwned: (deployment) => isOwned(deployment),
  });

  const proxies = createProxyTrust(config.trustedProxies);
  const door = createFrontDoor();
  const listener = await listen({ host: config.host, port: config.port }, door);
  shutdown.push('listener', () => listener.close());
  const domainTable = new Map<string, string>();
  const addresses = createPlatformAddresses(config, listener.port, domainTable);
  let tls: Tls | undefined;
  let httpsRedirect: HttpsRedirect | undefined;
  const wantCertificates = () => tls?.acme?.setNames([...addresses.platformHosts, ...domainTable.keys()]);

  const gatewayOptions = {
    runtime: config.isShared ? withArtifacts(machine.runtime, () => control.ensureArtifact) : machine.runtime,
    clock,
    ids,
    logger,
    events: state.events,
    secret: secrets.cookieKey,
    trustedProxies: config.trustedProxies,
    ...gatewaySettings(config),
  };
  const shared = machine.isShared
    ? await openClusterGateway({
        ...{ ...options, state, gateway: gatewayOptions },
        onOwnership: (given) => {
          isOwned = given;
        },
      })
    : undefined;
  const gateway = shared?.gateway ?? createGateway(gatewayOptions);
  if (!shared) shutdown.push('gateway', () => gateway.close({ drainMs: DRAIN_MS }));
  const control = await openControlPlane({
    ...options,
    state,
    gateway,
    machine,
    addresses,
    domainTable,
    listenPort: listener.port,
    certificates: () => tls?.certificates.list() ?? [],
    onTraffic: gateway.setTraffic,
    onDomainsChanged: wantCertificates,
  });
  await control.start();
  await shared?.join();
  door.open({
    addresses,
    gateway,
    serveApi: createApiListener(control.api.fetch, proxies),
    upgradeApi: createApiUpgrades(control.api.fetch, proxies),
    serveStorage: control.serveStorage,
    findProof: async (host, pathname) =>
      (await tls?.acme?.challenges.find(pathname)) ?? (await control.domains.findProof(host, pathname)),
    serveConsole: openConsole(config, addresses),
    landingPage: landingPage({ apiUrl: addresses.apiUrl, domain: config.domain }),
    get httpsRedirect() {
      return httpsRedirect;
    },
  });
  tls = await openTls({
    config,
    environment,
    clock,
    logger,
    shutdown,
    state,
    apiHost: new URL(addresses.apiUrl).hostname,
    handlers: door,
  });
  httpsRedirect = tls && createPlatformRedirect(config, { addresses, proxies, hasCertificate: tls.hasCertificate });
  // After the plain port is open, where certificate authorities look for the proofs.
  wantCertificates();
  const adminUrl = await openMetrics({
    ...{ ...options, state, gateway, fetchApi: control.api.fetch },
    certificates: tls?.certificates,
  });
  return {
    adminUrl,
    addresses,
    operatorKey: control.operatorKey,
    isFirstRun: control.isFirstRun,
    localUrl: localApiUrl(config.host, listener.port),
    firstRunSecret: await control.issueFirstRun(),
    reloadCertificates: async () => tls?.reload(),
    runtimeName: machine.runtime.name,
    protections: () => machine.runtime.capabilities(),
    close: () => shutdown.run(),
  };
}
