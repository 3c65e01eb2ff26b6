import { flushCompileCache } from 'node:module';
import type { Certificates } from '@berth/certificates';
import { createFrontServer, createSocketHandlers, type TrafficRule } from '@berth/gateway';
import { createWorkerGateway, type WorkerGateway } from '@berth/gateway/workers';
import type { Clock } from '@berth/kit';
import { createProxyTrust } from '@berth/kit/node';
import { createPlatformAddresses } from '../addresses/service-address.ts';
import { openConsole } from '../console/open-console.ts';
import { createPlatformLogger } from '../context/platform-logger.ts';
import { createShutdown, type Shutdown } from '../context/shutdown.ts';
import { createFrontDoor, type FrontDoor } from '../listeners/front-door.ts';
import { createPlatformRedirect } from '../listeners/https-redirect.ts';
import { landingPage } from '../listeners/landing-page.ts';
import { listenOnDescriptor } from '../listeners/listen.ts';
import { createProcessMeter, type ProcessMeter } from '../metrics/process-figures.ts';
import { createTlsServer, openCertificates } from '../tls/open-certificates.ts';
import { type CallPort, type Calls, createCalls } from './calls.ts';
import type { DomainEntries, FrontHandlers, WorkerHandlers, WorkerSetting } from './role-calls.ts';

/** Options of {@link runWorkerProcess}. */
export interface WorkerProcessOptions {
  readonly clock: Clock;
  /** The port to the gateway's core. */
  readonly gatewayPort: Parameters<typeof createWorkerGateway>[0]['port'];
  readonly callPort: CallPort;
}

/** A listening worker. */
interface RunningWorker {
  readonly gateway: WorkerGateway;
  readonly certificates: Certificates | undefined;
  readonly meter: ProcessMeter | undefined;
  readonly shutdown: Shutdown;
  openDoor(): void;
}

/** Waits for the settings from the main process and accepts requests. */
export function runWorkerProcess(options: WorkerProcessOptions): void {
  // Opened at once, so that the core's first message isn't missed.
  const domainTable = new Map<string, string>();
  const setDomains = (entries: DomainEntries) => {
    domainTable.clear();
    for (const [domain, deployment] of entries) domainTable.set(domain, deployment);
  };
  let traffic: readonly TrafficRule[] = [];
  let isOpen = false;
  let running: RunningWorker | undefined;
  const handlers: WorkerHandlers = {
    async start(setting) {
      isOpen ||= setting.isOpen;
      setDomains(setting.domains);
      traffic = setting.traffic;
      running = await startWorker(options, main, setting, domainTable);
      running.gateway.setTraffic(traffic);
      if (isOpen) running.openDoor();
      flushCompileCache();
    },
    open() {
      isOpen = true;
      running?.openDoor();
    },
    setDomains,
    setTraffic(rules) {
      traffic = rules;
      running?.gateway.setTraffic(rules);
    },
    reloadCertificates: async () => running?.certificates?.reload(),
    figures: async () => (await running?.meter?.figures()) ?? [],
    async close(drainMs) {
      await running?.gateway.close({ drainMs });
      await running?.shutdown.run();
    },
  };
  const main = createCalls<FrontHandlers>(options.callPort, handlers);
}

async function startWorker(
  { clock, gatewayPort }: WorkerProcessOptions,
  main: Calls<FrontHandlers>,
  setting: WorkerSetting,
  domainTable: ReadonlyMap<string, string>,
): Promise<RunningWorker> {
  const { config } = setting;
  const logger = createPlatformLogger(config.logLevel).child({ process: setting.name });
  const shutdown = createShutdown(logger);
  const { trustedProxies } = config;
  const gateway = createWorkerGateway({ port: gatewayPort, clock, trustedProxies });
  await gateway.ready;
  const addresses = createPlatformAddresses(config, setting.listenPort, domainTable);
  const apiHost = new URL(addresses.apiUrl).hostname;
  const certificates = await openCertificates({ config, apiHost, clock, logger, shutdown });
  const api = createSocketHandlers({ socketPath: setting.apiSocket, clock });
  const isProof = (pathname: string) => setting.proofPrefixes.some((prefix) => pathname.startsWith(prefix));
  const door = createFrontDoor();
  await openListeners(setting, { door, certificates, shutdown });
  return {
    gateway,
    certificates,
    shutdown,
    meter: setting.hasFigures ? createProcessMeter() : undefined,
    openDoor: () =>
      door.open({
        addresses,
        gateway,
        serveApi: api.handleRequest,
        upgradeApi: api.handleUpgrade,
        serveStorage: api.handleRequest,
        findProof: async (host, pathname) =>
          isProof(pathname) ? main.call('findProof', { host, pathname }) : undefined,
        serveConsole: openConsole(config, addresses),
        landingPage: landingPage({ apiUrl: addresses.apiUrl, domain: config.domain }),
        httpsRedirect:
          certificates &&
          createPlatformRedirect(config, {
            addresses,
            proxies: createProxyTrust(trustedProxies),
            hasCertificate: (host) => certificates.find(host) !== undefined,
          }),
      }),
  };
}

interface ListenerParts {
  readonly door: FrontDoor;
  readonly certificates: Certificates | undefined;
  readonly shutdown: Shutdown;
}

async function openListeners(
  { plainDescriptors, tlsDescriptors, ticketKeys }: WorkerSetting,
  { door, certificates, shutdown }: ListenerParts,
): Promise<void> {
  for (const descriptor of plainDescriptors) {
    const front = createFrontServer(door);
    await listenOnDescriptor(front.server, descriptor);
    shutdown.push('listener', () => front.close());
  }
  if (certificates === undefined) return;
  for (const descriptor of tlsDescriptors) {
    const front = createTlsServer(certificates, door, Buffer.from(ticketKeys));
    await listenOnDescriptor(front.server, descriptor);
    shutdown.push('TLS listener', () => front.close());
  }
}
