import { rmSync } from 'node:fs';
import {
  createEventRelay,
  createGatewayCore,
  createProcessPort,
  type GatewayCore,
  serveGateway,
} from '@berth/gateway/workers';
import { createPlatformAddresses, localApiUrl } from '../addresses/service-address.ts';
import { DRAIN_MS, gatewaySettings } from '../compose/gateway-settings.ts';
import type { Platform, StartPlatformOptions } from '../compose/start-platform.ts';
import type { PartOptions } from '../context/part-options.ts';
import { openWithShutdown } from '../context/shutdown.ts';
import { compiledFolder } from '../data-folder/compiled-sources.ts';
import { lockDataFolder } from '../data-folder/data-folder-lock.ts';
import { preparePlatformFolders } from '../data-folder/platform-folders.ts';
import { openPlatformSecrets } from '../data-folder/platform-secrets.ts';
import { openMachine } from '../machine/open-machine.ts';
import { withArtifacts } from '../machine/with-artifacts.ts';
import { createProcessMeter } from '../metrics/process-figures.ts';
import { hasTls, tlsHost } from '../tls/open-certificates.ts';
import { apiSocketPath } from './api-socket.ts';
import { bindPort } from './bind-port.ts';
import { createControl } from './control.ts';
import { createWorkers } from './workers.ts';

/**
 * Starts the platform as several processes. This one holds the data folder, the ports and the instances; `gatewayWorkers` processes
 * accept requests, and one runs the control plane. On failure, everything started so far is ended.
 * @throws BerthError as `startPlatform` does
 */
export function startProcesses(options: StartPlatformOptions): Promise<Platform> {
  return openWithShutdown(options.logger, (shutdown) => compose({ ...options, shutdown }));
}

async function compose(options: PartOptions): Promise<Platform> {
  const { config, version, environment, clock, ids, logger, shutdown } = options;
  const folders = preparePlatformFolders(config.dataFolder, config.databaseUrl !== undefined);
  const lock = lockDataFolder(folders.data);
  shutdown.push('lock', () => lock.release());
  const secrets = await openPlatformSecrets({ config, folders, environment });
  const plain = await bindPort(config);
  shutdown.push('port', () => plain.close());
  const tls = hasTls(config) ? await bindPort({ host: tlsHost(config), port: config.tlsPort }) : undefined;
  shutdown.push('TLS port', () => tls?.close());

  const machine = await openMachine({ ...options, origin: folders.origin, serverId: secrets.serverId });
  const imageBuilds = machine.builds.kind === 'images' ? machine.builds : undefined;
  const relay = createEventRelay({ logger });
  const core: GatewayCore = createGatewayCore({
    runtime: config.isShared ? withArtifacts(machine.runtime, () => control.ensureArtifact) : machine.runtime,
    clock,
    ids,
    logger,
    events: relay.events,
    onRecords: relay.onRecords,
    secret: secrets.cookieKey,
    ...gatewaySettings(config),
  });
  // The same cache as `keepCompiledSources` uses, so that a restarted worker serves sooner.
  const roleEnvironment = { NODE_COMPILE_CACHE: compiledFolder(folders.data), ...environment };
  const common = { environment: roleEnvironment, clock, logger };
  const apiSocket = apiSocketPath(folders.data);
  // A killed control process leaves its socket.
  shutdown.push('API socket', () => rmSync(apiSocket, { force: true }));
  const meter = config.adminPort === undefined ? undefined : createProcessMeter();
  const workers = createWorkers({
    ...common,
    count: config.gatewayWorkers,
    descriptors: { plain: plain.descriptors, tls: tls?.descriptors ?? [] },
    setting: { config, listenPort: plain.port, apiSocket, hasFigures: meter !== undefined },
    attach: (child, kill) => core.attachWorker(createProcessPort(child, 'gateway'), { onUnresponsive: kill }),
    findProof: (question) => control.findProof(question),
  });
  const control = createControl({
    ...common,
    machine,
    setting: {
      config: { ...config, masterKey: undefined },
      secrets,
      version,
      listenPort: plain.port,
      imageBuilds,
      apiSocket,
      workRoot: machine.workRoot,
      gitWorkRoot: machine.git?.workRoot,
      mountPolicy: machine.runtime.mountPolicy,
    },
    attach: (child) =>
      serveGateway({
        gateway: core.gateway,
        routesKnown: core.routesKnown,
        relay,
        clock,
        logger,
        port: createProcessPort(child, 'gateway'),
      }),
    setDomains: (entries) => workers.setDomains(entries),
    setTraffic: (rules) => workers.setTraffic(rules),
    certificatesChanged: () => workers.reloadCertificates(),
    figures: async () => [
      ...(meter ? [{ role: 'main', figures: await meter.figures() }] : []),
      ...(await workers.figures()),
    ],
  });
  // Steps run in reverse order: stop new work, drain requests and instances, end the workers, and last the process that records events.
  shutdown.push('control process', () => control.close());
  shutdown.push('workers', () => workers.close());
  shutdown.push('gateway', () => core.gateway.close({ drainMs: DRAIN_MS }));
  shutdown.push('deploys', () => control.quiesce());

  const [started] = await Promise.all([control.start(), workers.start()]);
  await workers.open();
  return {
    ...started,
    addresses: createPlatformAddresses(config, plain.port, new Map()),
    localUrl: localApiUrl(config.host, plain.port),
    runtimeName: machine.runtime.name,
    protections: () => machine.runtime.capabilities(),
    reloadCertificates: async () => {
      await Promise.all([control.reloadCertificates(), workers.reloadCertificates()]);
    },
    close: () => shutdown.run(),
  };
}
