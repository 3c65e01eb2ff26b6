import type { MountPolicy } from '@berth/contract';
import type { TrafficRule } from '@berth/gateway';
import type { Artifact, Capability, Owner } from '@berth/runtime';
import type { Config } from '../config/read-config.ts';
import type { OperatorKey } from '../data-folder/operator-key.ts';
import type { PlatformSecrets } from '../data-folder/platform-secrets.ts';
import type { ImageBuilds } from '../machine/machine.ts';
import type { ProcessFigures, RoleFigures } from '../metrics/process-figures.ts';
import type { CallContext } from './calls.ts';
import type { ExecHandlers } from './exec-calls.ts';
import type { SandboxHandlers } from './sandbox-calls.ts';

/** Verified custom domains and their deployments. */
export type DomainEntries = readonly (readonly [domain: string, deployment: string])[];

/** The first message to a control process. */
export interface ControlSetting {
  readonly config: Config;
  readonly secrets: PlatformSecrets;
  readonly version: string;
  /** The plain public port. */
  readonly listenPort: number;
  readonly workRoot: string;
  /** The folder of the sandbox in which Git runs; undefined where it has none. */
  readonly gitWorkRoot: string | undefined;
  readonly mountPolicy: MountPolicy;
  /** The engine that builds images; undefined when builds run in the main process's sandbox. */
  readonly imageBuilds: ImageBuilds | undefined;
  /** Path of the socket on which it serves the API to workers. */
  readonly apiSocket: string;
  /** The answer of an earlier control process of this server, whose ports are reused. */
  readonly before: ControlStarted | undefined;
}

/** The answer of a control process that serves. */
export interface ControlStarted {
  readonly operatorKey: OperatorKey | undefined;
  readonly isFirstRun: boolean;
  /** Secret of the link that creates the first account. */
  readonly firstRunSecret: string | undefined;
  readonly adminUrl: string | undefined;
  readonly storagePort: number;
}

/** Calls that the control process handles for the main process. */
export type ControlHandlers = {
  /** Answers from the event loop that serves the API. */
  ping(argument: null): void;
  start(setting: ControlSetting): Promise<ControlStarted>;
  findProof(question: ProofQuestion): Promise<string | undefined>;
  reloadCertificates(argument: null): Promise<void>;
  /** Fetches an artifact of another server. Emits notices. */
  ensureArtifact(artifact: Artifact, context: CallContext): Promise<void>;
  /** Stops new deploys and schedules; running work is still recorded. */
  quiesce(argument: null): Promise<void>;
  close(argument: null): Promise<void>;
};

/** Calls that the main process handles for the control process. */
export type MachineHandlers = SandboxHandlers &
  ExecHandlers & {
    capabilities(argument: null): Promise<readonly Capability[]>;
    forget(owner: Owner): Promise<void>;
    /** Resolves when every worker has the entries. */
    setDomains(entries: DomainEntries): Promise<void>;
    /** Resolves when every worker has the rules. */
    setTraffic(rules: readonly TrafficRule[]): Promise<void>;
    /** Makes workers reload stored certificates. */
    certificatesChanged(argument: null): Promise<void>;
    /** Returns figures of the main process and the workers. */
    figures(argument: null): Promise<readonly RoleFigures[]>;
  };

/** A request that may be for a proof; see {@link ControlHandlers.findProof}. */
export interface ProofQuestion {
  readonly host: string;
  readonly pathname: string;
}

/** The settings that a worker needs. None is a secret. */
export type WorkerConfig = Pick<
  Config,
  | 'domain'
  | 'publicScheme'
  | 'publicPort'
  | 'dataFolder'
  | 'storageUrl'
  | 'tlsPort'
  | 'tlsCert'
  | 'tlsKey'
  | 'acmeDirectory'
  | 'httpsRedirect'
  | 'trustedProxies'
  | 'logLevel'
>;

/** The first message to a worker. */
export interface WorkerSetting {
  /** For the log. */
  readonly name: string;
  readonly config: WorkerConfig;
  readonly listenPort: number;
  /** Descriptors in the worker, bound by the main process. */
  readonly plainDescriptors: readonly number[];
  readonly tlsDescriptors: readonly number[];
  /** Keys of TLS session tickets, 48 bytes, the same in all workers: a session that one of them began is resumed by any. */
  readonly ticketKeys: Uint8Array;
  readonly apiSocket: string;
  readonly domains: DomainEntries;
  readonly traffic: readonly TrafficRule[];
  /** Prefixes of paths for which the control process is asked first. Other paths below `/.well-known/` belong to services. */
  readonly proofPrefixes: readonly string[];
  /** True when routes are known. Until then each request is answered 503. */
  readonly isOpen: boolean;
  readonly hasFigures: boolean;
}

/** Calls that a worker handles for the main process. */
export type WorkerHandlers = {
  /** Resolves when the worker listens. */
  start(setting: WorkerSetting): Promise<void>;
  open(argument: null): void;
  setDomains(entries: DomainEntries): void;
  setTraffic(rules: readonly TrafficRule[]): void;
  reloadCertificates(argument: null): Promise<void>;
  figures(argument: null): Promise<ProcessFigures>;
  /** Drains running requests for `drainMs`, then ends every connection. */
  close(drainMs: number): Promise<void>;
};

/** Calls that the main process handles for a worker. */
export type FrontHandlers = {
  findProof(question: ProofQuestion): Promise<string | undefined>;
};

/** Names of the channels of one process. */
export const CHANNELS = { gateway: 'gateway', calls: 'calls' } as const;
