import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Artifact, InstanceExit, Mount, OutputStream } from '@berth/runtime';
import type { InstanceState } from './instance-state.ts';

/** A revision as the gateway serves it: what to start, and under which bounds. Immutable. */
export interface RevisionTarget {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  readonly artifact: Artifact;
  /** Whole environment of an instance besides `PORT`. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly mounts: readonly Mount[];
  /** Longest a request may take, from its headers being in, queue and cold start included. */
  readonly timeoutMs: number;
  /** C: requests one instance serves at once. */
  readonly concurrency: number;
  /** 0: what the machine's memory allows. */
  readonly maxInstances: number;
  /** Instances kept ready without requests, at most {@link maxInstances} where that is not 0. */
  readonly minInstances: number;
  readonly sessionAffinity: boolean;
  readonly useHttp2: boolean;
  /** Absent: an instance is ready when its port accepts connections. */
  readonly health?: {
    /** Path and query of a GET that a healthy instance answers with 200 to 399. */
    readonly path: string;
    /** Its `Host`. */
    readonly host: string;
    /** From the end of one check of a serving instance to the next. */
    readonly intervalMs: number;
    readonly timeoutMs: number;
  };
}

/** Why an instance was started, for the log. */
export type StartReason = 'deploy' | 'release' | 'request' | 'scale_up' | 'restart_after_crash' | 'min_instances';

/** Why an instance was stopped, for the log. */
export type StopReason = 'completed' | 'idle' | 'scale_down' | 'replaced' | 'deleted' | 'shutdown';

/** What the gateway tells the platform. Listeners must be quick and must not throw. */
export interface GatewayEvents {
  /** A request ended, however it ended; exactly once per request. */
  onRequest(record: RequestRecord): void;
  onInstance(event: InstanceEvent): void;
  /** Output of an instance; a returned promise is back-pressure to its pipe. */
  onOutput(source: InstanceSource, stream: OutputStream, chunk: Uint8Array): void | Promise<void>;
}

export interface InstanceSource {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  readonly instance: string;
}

export interface RequestRecord {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  /** Absent when no instance took it. */
  readonly instance?: string;
  /** Wall time the headers were in. */
  readonly startedAtMs: number;
  readonly method: string;
  /** Path and query, redacted by `redactTarget`. */
  readonly url: string;
  readonly host: string;
  readonly protocol: string;
  /** What the client was sent: 499 when it went away before an answer began, 101 for a WebSocket. */
  readonly status: number;
  readonly latencyMs: number;
  readonly requestSize: number;
  readonly responseSize: number;
  readonly remoteIp: string;
  readonly userAgent: string;
  /** 32 hex digits of the `traceparent`. */
  readonly trace: string;
  /** Set when it waited for an instance to start: milliseconds since the headers were in, in order. */
  readonly coldStart?: {
    readonly queuedMs: number;
    readonly scheduledMs: number;
    readonly spawnedMs: number;
    readonly portOpenMs: number;
    readonly firstByteMs: number;
  };
  /** Set when it waited for a suspended instance to be thawed, and no other: milliseconds since the headers were in, in order. */
  readonly resume?: { readonly queuedMs: number; readonly resumedMs: number; readonly firstByteMs: number };
}

export type InstanceEvent = InstanceSource & { readonly timeMs: number } & (
    | { readonly kind: 'started'; readonly reason: StartReason }
    | { readonly kind: 'ready'; readonly startMs: number }
    /** Frozen, for it was idle: it keeps its memory, uses no CPU and is not billable. */
    | { readonly kind: 'suspended' }
    /** Thawed, for a request came; `resumeMs` after that was decided. */
    | { readonly kind: 'resumed'; readonly resumeMs: number }
    /** Its health check failed several times in a row: it takes no new requests until it passes. */
    | { readonly kind: 'unhealthy'; readonly message: string }
    | { readonly kind: 'start_failed'; readonly message: string; readonly exit?: InstanceExit }
    | { readonly kind: 'stopped'; readonly reason: StopReason; readonly exit: InstanceExit }
    | { readonly kind: 'crashed'; readonly exit: InstanceExit }
    /**
     * For the meter: how long it was billable (starting + serving) since the last such event. Comes every few seconds while
     * there is something to bill, and once more before `ended`.
     */
    | { readonly kind: 'billed'; readonly billableMs: number; readonly memoryBytes: number; readonly cpuMillis: number }
    /**
     * For metrics: what it used in the last `spanMs`, and the memory it has now. Comes every ten seconds while it is not frozen, and
     * once more before it is stopped or frozen; it may come after `ended`. What one that crashed used last is not told.
     */
    | { readonly kind: 'measured'; readonly spanMs: number; readonly cpuMs: number; readonly memoryBytes: number }
    | { readonly kind: 'ended' }
  );

export interface ActivateOptions {
  readonly signal: AbortSignal;
  /** A sentence for the deploy stream, e.g. what is waited for. */
  readonly onProgress?: (message: string) => void;
}

export interface ReleaseOptions extends ActivateOptions {
  /** A line that the command printed; the platform hears it as output of an instance, too. */
  readonly onOutput?: (line: string) => void;
}

export interface ServiceSnapshot {
  readonly revision: string;
  /** Starting and ready instances. */
  readonly instances: number;
  readonly inFlight: number;
  readonly queued: number;
}

/** What a deployment has running now, of all its revisions. */
export interface ServiceLoad {
  readonly deployment: string;
  readonly inFlight: number;
  readonly queued: number;
  /** How many instances are in each state; a state that none is in is absent. */
  readonly instances: Readonly<Partial<Record<InstanceState, number>>>;
}

/** What a front server hands its requests to, their targets settled. */
export interface RequestHandlers {
  /**
   * Serves a request whose host names `deployment`; an unknown name is answered with a plain 404 page, and recorded nowhere, for
   * it is nobody's. A server hands it its `checkContinue` requests too: the client is let go on when an instance is chosen.
   */
  handleRequest(deployment: string, request: IncomingMessage, response: ServerResponse): void;
  /** Same for an `Upgrade` (WebSocket). */
  handleUpgrade(deployment: string, request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** What the control plane tells the data plane, in whichever process that is. */
export interface GatewayControl {
  /**
   * Makes a revision the route, at boot. Replaces none that is there. Starts its `minInstances` in the background; without any, its
   * first request starts it.
   */
  register(target: RevisionTarget): void;
  /**
   * Runs the release command of the revision's artifact to its end, with the environment, volumes and limits of an instance; at once
   * when there is none. The route is as it was, whatever comes of it.
   * @throws BerthError `start_failed`, `start_timeout`, `out_of_capacity` or `cancelled`; nothing of the command runs then.
   */
  release(target: RevisionTarget, options: ReleaseOptions): Promise<void>;
  /**
   * Starts the revision beside the one that serves, waits until its instances are ready, moves the route in one assignment,
   * and drains the old one in the background. On failure the route is as it was.
   * @throws BerthError `start_failed`, `start_timeout`, `port_not_open`, `out_of_capacity` or `cancelled`.
   */
  activate(target: RevisionTarget, options: ActivateOptions): Promise<void>;
  /** Takes the route away at once, drains and stops its instances; resolves when they are gone. Idempotent. */
  remove(deployment: string): Promise<void>;
  snapshot(deployment: string): ServiceSnapshot | undefined;
  /** Every deployment that has a route or is getting one; each is looked at when it is asked for. */
  loads(): Iterable<ServiceLoad>;
  /** Stops taking requests, drains for `drainMs`, stops every instance. Idempotent. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/**
 * The data plane: takes requests for deployments, starts and stops their instances.
 * Names are unique over all accounts, so a name is the route.
 */
export interface Gateway extends GatewayControl, RequestHandlers {}
