import { flushCompileCache } from 'node:module';
import type { Certificates } from '@berth/certificates';
import { createError } from '@berth/contract/errors';
import { createRemoteGateway } from '@berth/gateway/workers';
import type { Clock, IdSource } from '@berth/kit';
import { createPlatformAddresses } from '../addresses/service-address.ts';
import { openControlPlane } from '../compose/open-control-plane.ts';
import { openMetrics } from '../compose/open-metrics.ts';
import { openState } from '../compose/open-state.ts';
import type { Config } from '../config/read-config.ts';
import type { PartOptions } from '../context/part-options.ts';
import { createPlatformLogger } from '../context/platform-logger.ts';
import { createShutdown, type Shutdown } from '../context/shutdown.ts';
import type { EnsureArtifact } from '../machine/with-artifacts.ts';
import { createProcessMeter, processFiguresText } from '../metrics/process-figures.ts';
import { certificatesInUse, openAcme } from '../tls/open-acme.ts';
import { openCertificates } from '../tls/open-certificates.ts';
import { serveApiSocket } from './api-socket.ts';
import { type CallPort, type Calls, createCalls } from './calls.ts';
import { createRemoteConnect, createRemoteExec } from './exec-calls.ts';
import type { ControlHandlers, ControlSetting, ControlStarted, MachineHandlers, ProofQuestion } from './role-calls.ts';
import { createRemoteSandbox } from './sandbox-calls.ts';

/** Options of {@link runControlProcess}. */
export interface ControlProcessOptions {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The port to the gateway's core. */
  readonly gatewayPort: Parameters<typeof createRemoteGateway>[0]['port'];
  readonly callPort: CallPort;
}

/** A started control plane. */
interface RunningControl {
  readonly started: ControlStarted;
  /** `makers` are closed before the data plane, `keepers` after it. */
  readonly makers: Shutdown;
  readonly keepers: Shutdown;
  findProof(question: ProofQuestion): Promise<string | undefined>;
  reloadCertificates(): Promise<void>;
  readonly ensureArtifact: EnsureArtifact | undefined;
}

/** Waits for the settings from the main process and runs the control plane. */
export function runControlProcess(options: ControlProcessOptions): void {
  let running: RunningControl | undefined;
  const handlers: ControlHandlers = {
    ping() {},
    async start(setting) {
      running = await startControl(options, machine, setting);
      flushCompileCache();
      return running.started;
    },
    findProof: async (question) => running?.findProof(question),
    reloadCertificates: async () => running?.reloadCertificates(),
    async ensureArtifact(artifact, { signal, emit }) {
      if (!running) throw createError('unavailable', 'The control plane is starting.');
      await running.ensureArtifact?.(artifact, { signal, onNotice: (message) => void emit(message) });
    },
    quiesce: async () => running?.makers.run(),
    close: async () => running?.keepers.run(),
  };
  const machine = createCalls<MachineHandlers>(options.callPort, handlers);
}

async function startControl(
  { clock, ids, environment, gatewayPort }: ControlProcessOptions,
  machine: Calls<MachineHandlers>,
  setting: ControlSetting,
): Promise<RunningControl> {
  const { version, listenPort, workRoot, mountPolicy } = setting;
  const config = withPortsOf(setting);
  const logger = createPlatformLogger(config.logLevel).child({ process: 'control' });
  const makers = createShutdown(logger);
  const keepers = createShutdown(logger);
  const common = { config, version, environment, clock, ids, logger };
  const keeping: PartOptions = { ...common, shutdown: keepers };
  const making: PartOptions = { ...common, shutdown: makers };

  const meter = config.adminPort === undefined ? undefined : createProcessMeter();
  const state = await openState({
    ...keeping,
    secrets: setting.secrets,
    processText: async () =>
      processFiguresText([
        ...(await machine.call('figures', null)),
        ...(meter ? [{ role: 'control', figures: await meter.figures() }] : []),
      ]),
  });
  const gateway = createRemoteGateway({ port: gatewayPort, events: state.events, logger });
  await gateway.ready;

  const domainTable = new Map<string, string>();
  const addresses = createPlatformAddresses(config, listenPort, domainTable);
  const apiHost = new URL(addresses.apiUrl).hostname;
  const certificates = await openCertificates({ ...making, apiHost });
  const acme = certificates && (await openAcme({ ...making, state }, toldToWorkers(certificates, machine)));
  const wantCertificates = () => acme?.setNames([...addresses.platformHosts, ...domainTable.keys()]);
  const tellDomains = () => machine.call('setDomains', [...domainTable]);

  const sandbox = createRemoteSandbox(machine);

  const control = await openControlPlane({
    ...making,
    state,
    gateway,
    addresses,
    listenPort,
    domainTable,
    machine: {
      workRoot,
      builds: setting.imageBuilds ?? { kind: 'folders', sandbox },
      ...(setting.gitWorkRoot === undefined ? {} : { git: { sandbox, workRoot: setting.gitWorkRoot } }),
      runtime: {
        mountPolicy,
        capabilities: () => machine.call('capabilities', null),
        forget: (owner) => machine.call('forget', owner),
        exec: createRemoteExec(machine),
        connect: createRemoteConnect(machine),
      },
    },
    certificates: () => certificates?.list() ?? [],
    onTraffic: (rules) => machine.call('setTraffic', rules),
    async onDomainsChanged() {
      wantCertificates();
      await tellDomains();
    },
  });
  await control.start();
  // Before any request is accepted, or it would find no route.
  await gateway.routesKnown();
  await tellDomains();
  const fetchApi = control.api.fetch;
  await serveApiSocket(setting.apiSocket, {
    fetchApi,
    serveStorage: control.serveStorage,
    shutdown: keepers,
    isStorage: (host) => addresses.route(host).kind === 'storage',
    trustedProxies: config.trustedProxies,
  });
  wantCertificates();
  const adminUrl = await openMetrics({
    ...{ ...making, state, gateway, fetchApi },
    certificates: certificates && certificatesInUse(certificates, acme),
  });
  return {
    makers,
    keepers,
    started: {
      operatorKey: control.operatorKey,
      isFirstRun: control.isFirstRun,
      // A restarted control process prints nothing, so the printed link must stay valid.
      firstRunSecret: setting.before === undefined ? await control.issueFirstRun() : undefined,
      adminUrl,
      storagePort: control.storagePort(),
    },
    findProof: async ({ host, pathname }) =>
      (await acme?.challenges.find(pathname)) ?? (await control.domains.findProof(host, pathname)),
    reloadCertificates: async () => certificates?.reload(),
    ensureArtifact: control.ensureArtifact,
  };
}

/** Reuses the ports that the system chose for the first control process, because clients know them. */
function withPortsOf({ config, before }: ControlSetting): Config {
  if (before === undefined) return config;
  const adminPort = before.adminUrl === undefined ? undefined : Number(new URL(before.adminUrl).port || 80);
  return { ...config, adminPort, storagePort: before.storagePort };
}

/** Wraps `add` so that it resolves when every worker has loaded the certificate. */
function toldToWorkers(
  { find, add, reload }: Certificates,
  machine: Calls<MachineHandlers>,
): Pick<Certificates, 'find' | 'add' | 'reload'> {
  return {
    find,
    async add(certificate) {
      await add(certificate);
      await machine.call('certificatesChanged', null);
    },
    async reload() {
      await reload();
      await machine.call('certificatesChanged', null);
    },
  };
}
