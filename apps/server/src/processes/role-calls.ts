import type { MountPolicy } from '@berth/contract';
import type { Capability, Owner } from '@berth/runtime';
import type { Config } from '../config/read-config.ts';
import type { OperatorKey } from '../data-folder/operator-key.ts';
import type { ImageBuilds } from '../machine/machine.ts';
import type { ProcessFigures, RoleFigures } from '../metrics/process-figures.ts';
import type { SandboxHandlers } from './sandbox-calls.ts';

/** Proven custom domains → deployments. */
export type DomainEntries = readonly (readonly [domain: string, deployment: string])[];

/** The control process is told this once, first. */
export interface ControlSetting {
  readonly config: Config;
  readonly version: string;
  /** The plain public port. */
  readonly listenPort: number;
  readonly workRoot: string;
  readonly mountPolicy: MountPolicy;
  /** Where images are built; absent where builds are commands in the main process' sandbox. */
  readonly imageBuilds: ImageBuilds | undefined;
  /** Where it serves the API to the workers. */
  readonly apiSocket: string;
  /** What an earlier control process of this server answered: its ports are to be those of the next one too. */
  readonly before: ControlStarted | undefined;
}

/** What the control process answers when it serves. */
export interface ControlStarted {
  readonly operatorKey: OperatorKey;
  readonly isFirstRun: boolean;
  /** Of the link that makes the first person. */
  readonly firstRunSecret: string | undefined;
  readonly adminUrl: string | undefined;
  readonly storagePort: number;
}

/** What the control process does for the main process. */
export type ControlHandlers = {
  /** Answers from the loop that serves the API. */
  ping(argument: null): void;
  start(setting: ControlSetting): Promise<ControlStarted>;
  findProof(question: ProofQuestion): Promise<string | undefined>;
  reloadCertificates(argument: null): Promise<void>;
  /** Ends what would begin something new; what was begun goes on being written down. */
  quiesce(argument: null): Promise<void>;
  close(argument: null): Promise<void>;
};

/** What the main process does for the control process. */
export type MachineHandlers = SandboxHandlers & {
  capabilities(argument: null): Promise<readonly Capability[]>;
  forget(owner: Owner): Promise<void>;
  /** Resolves when every worker knows. */
  setDomains(entries: DomainEntries): Promise<void>;
  /** Has the workers look at the certificates that were kept. */
  certificatesChanged(argument: null): Promise<void>;
  /** Of the main process and the workers. */
  figures(argument: null): Promise<readonly RoleFigures[]>;
};

export interface ProofQuestion {
  readonly host: string;
  readonly pathname: string;
}

/** Of the settings, what a worker needs: no secret is among them. */
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

/** A worker is told this once, first. */
export interface WorkerSetting {
  /** For the log. */
  readonly name: string;
  readonly config: WorkerConfig;
  readonly listenPort: number;
  /** Descriptors of the worker's own, bound by the main process. */
  readonly plainDescriptors: readonly number[];
  readonly tlsDescriptors: readonly number[];
  readonly apiSocket: string;
  readonly domains: DomainEntries;
  /** Paths that the control process is asked about first: a service has other paths of its own below `/.well-known/`. */
  readonly proofPrefixes: readonly string[];
  /** The services are known: until then each request is answered 503. */
  readonly isOpen: boolean;
  readonly hasFigures: boolean;
}

/** What a worker does for the main process. */
export type WorkerHandlers = {
  /** Resolves when it listens. */
  start(setting: WorkerSetting): Promise<void>;
  open(argument: null): void;
  setDomains(entries: DomainEntries): void;
  reloadCertificates(argument: null): Promise<void>;
  figures(argument: null): Promise<ProcessFigures>;
  /** Lets what runs end for `drainMs`, then ends every connection. */
  close(drainMs: number): Promise<void>;
};

/** What the main process does for a worker. */
export type FrontHandlers = {
  findProof(question: ProofQuestion): Promise<string | undefined>;
};

/** Names of the channels of one process. */
export const CHANNELS = { gateway: 'gateway', calls: 'calls' } as const;
