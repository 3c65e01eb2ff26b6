import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { InstanceId } from '@berth/kit';
import type { Artifact, InstanceExit, Mount, OutputStream } from '@berth/runtime';

/** A revision as the gateway serves it: the artifact to start and the limits. Immutable. */
export interface RevisionTarget {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  /** Name of the route that the revision serves: {@link sideRoute} for one beside the current revision. Absent: the deployment's name. */
  readonly route?: string;
  /** Rises when the deployment is restarted, stopped or resumed: instances of the same revision are replaced then. Absent: 0. */
  readonly generation?: number;
  /** The deployment is stopped: it has no instances, and its requests are refused. Absent: false. */
  readonly isStopped?: boolean;
  /** The service's public address. Questions to an instance name its host, because frameworks refuse unknown ones. */
  readonly url: string;
  readonly artifact: Artifact;
  /** The environment of an instance, complete but for `PORT`. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly mounts: readonly Mount[];
  /** Request timeout from the end of the request's headers; includes time in the queue and the cold start. */
  readonly timeoutMs: number;
  /** C: concurrent requests per instance. */
  readonly concurrency: number;
  /** 0: no maximum but the machine's memory. */
  readonly maxInstances: number;
  /** Instances kept ready without requests; at most {@link maxInstances} where that isn't 0. */
  readonly minInstances: number;
  readonly sessionAffinity: boolean;
  readonly useHttp2: boolean;
  /** Absent: an instance is ready when its port accepts connections. */
  readonly health?: {
    /** Path and query of a GET. A status of 200–399 means healthy. */
    readonly path: string;
    /** Time from the end of one check of a serving instance to the start of the next. */
    readonly intervalMs: number;
    readonly timeoutMs: number;
  };
}

/** The part of a target that serving its requests needs; without how it is started, and without its environment. */
export type ServedTarget = Pick<
  RevisionTarget,
  'account' | 'deployment' | 'revision' | 'route' | 'timeoutMs' | 'concurrency' | 'sessionAffinity'
>;

/** Separates the parts of a {@link sideRoute}. Hosts and names of deployments can't contain it, so no request names such a route. */
const SIDE = '@';

/** Returns the name of the route of a revision that serves beside the current one, because it has a tag or a share of the traffic. */
export function sideRoute(deployment: string, revision: string): string {
  return `${deployment}${SIDE}${revision}`;
}

/** Returns the deployment of a route. */
export function deploymentOf(route: string): string {
  const end = route.indexOf(SIDE);
  return end < 0 ? route : route.slice(0, end);
}

/** Returns the name of the route that a target serves. */
export function routeOf({ route, deployment }: Pick<RevisionTarget, 'route' | 'deployment'>): string {
  return route ?? deployment;
}

/**
 * The state of an instance: `starting` until its port answers, `failed` when the start fails, `ready` while it takes requests,
 * `unready` while a ready instance refuses connections or is unhealthy, `suspended` while it is frozen, `resuming` while it thaws,
 * `draining` while it finishes its requests before it is stopped, `gone` after its end.
 */
export type InstanceState =
  | 'starting'
  | 'failed'
  | 'ready'
  | 'unready'
  | 'suspended'
  | 'resuming'
  | 'draining'
  | 'gone';

/** The reason of a start, for the log. */
export type StartReason =
  | 'deploy'
  | 'release'
  /** A client runs a command in it. */
  | 'run'
  | 'request'
  | 'scale_up'
  | 'restart_after_crash'
  | 'min_instances'
  /** It replaces an instance whose machine gives it up. */
  | 'evicted'
  /** It ran already, and another process had it. */
  | 'adopted';

/** The reason of a stop, for the log. */
export type StopReason =
  | 'completed'
  | 'idle'
  | 'scale_down'
  | 'replaced'
  | 'deleted'
  | 'shutdown'
  /** Its deployment was stopped. */
  | 'stopped'
  /** Its machine gave it up, and another instance took its place. */
  | 'evicted';

/** Listeners for events of the gateway. They must return quickly and must not throw. */
export interface GatewayEvents {
  /** Called exactly once per request, when it has ended in any way. */
  onRequest(record: RequestRecord): void;
  onInstance(event: InstanceEvent): void;
  /** Called with output of an instance. A returned promise applies backpressure to its pipe. */
  onOutput(source: InstanceSource, stream: OutputStream, chunk: Uint8Array): void | Promise<void>;
}

/** The instance that an event is about. */
export interface InstanceSource {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  readonly instance: string;
}

/** A request that has ended, for the request log. */
export interface RequestRecord {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  /** Absent when the request reached no instance. */
  readonly instance?: string;
  /** When the headers were complete. Wall time. */
  readonly startedAtMs: number;
  readonly method: string;
  /** Path and query, redacted by `redactTarget`. */
  readonly url: string;
  readonly host: string;
  readonly protocol: string;
  /** The status that the client was sent; 499 when it disconnected before a response began, 101 for a WebSocket. */
  readonly status: number;
  readonly latencyMs: number;
  readonly requestSize: number;
  readonly responseSize: number;
  readonly remoteIp: string;
  readonly userAgent: string;
  /** The trace id of the `traceparent`: 32 hex digits. */
  readonly trace: string;
  /** Set when the request waited for an instance to start: milliseconds since the headers were complete, in order. */
  readonly coldStart?: {
    readonly queuedMs: number;
    readonly scheduledMs: number;
    readonly spawnedMs: number;
    readonly portOpenMs: number;
    readonly firstByteMs: number;
  };
  /** Set when the request waited only for a suspended instance to resume: milliseconds since the headers were complete, in order. */
  readonly resume?: { readonly queuedMs: number; readonly resumedMs: number; readonly firstByteMs: number };
}

/** A change in the life of an instance, with the instance and the wall time. */
export type InstanceEvent = InstanceSource & { readonly timeMs: number } & InstanceChange;

/** A change in the life of an instance. */
export type InstanceChange =
  | { readonly kind: 'started'; readonly reason: StartReason }
  | { readonly kind: 'ready'; readonly startMs: number }
  /** The idle instance was frozen. It keeps its memory, uses no CPU and is not billable. */
  | { readonly kind: 'suspended' }
  /** The instance was thawed for a request, within `resumeMs`. */
  | { readonly kind: 'resumed'; readonly resumeMs: number }
  /** The instance has no request and says that it has work. It is neither suspended nor stopped, and is billable. */
  | { readonly kind: 'busy' }
  /**
   * The instance was busy for `busyMs`. `done`: it says so; `request`: a request came; `limit`: it may be kept no longer; `no_answer`: it
   * doesn't answer any more; `ended`: it has ended.
   */
  | {
      readonly kind: 'busy_ended';
      readonly busyMs: number;
      readonly reason: 'done' | 'request' | 'limit' | 'no_answer' | 'ended';
    }
  /** The health check failed several times in a row. The instance takes no new requests until the check passes. */
  | { readonly kind: 'unhealthy'; readonly message: string }
  | { readonly kind: 'start_failed'; readonly message: string; readonly exit?: InstanceExit }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly exit: InstanceExit }
  | { readonly kind: 'crashed'; readonly exit: InstanceExit }
  /**
   * Billable time (starting, serving and busy) since the last `billed` event. Sent every few seconds while there is any, and again
   * before `ended`.
   */
  | { readonly kind: 'billed'; readonly billableMs: number; readonly memoryBytes: number; readonly cpuMillis: number }
  /**
   * CPU time used in the last `spanMs`, and current memory. Sent every ten seconds while the instance isn't suspended, and again
   * before it is stopped or suspended; may come after `ended`. The last usage of an instance that crashed isn't reported.
   */
  | { readonly kind: 'measured'; readonly spanMs: number; readonly cpuMs: number; readonly memoryBytes: number }
  | { readonly kind: 'ended' };

/** Options of {@link GatewayControl.hold}. */
export interface HoldOptions {
  /** Id of the instance; any by default. */
  readonly instance?: string | undefined;
  readonly signal: AbortSignal;
}

/** An instance that is kept. */
export interface HeldInstance {
  readonly instance: InstanceId;
  readonly revision: string;
  /** Idempotent. */
  release(): void;
}

/** Options of {@link GatewayControl.activate}. */
export interface ActivateOptions {
  readonly signal: AbortSignal;
  /** Called with a sentence for the deploy's events, e.g. "Waiting for its port". */
  readonly onProgress?: (message: string) => void;
  /**
   * The revision serves elsewhere already, so it only has to be started beside instances of the current one: without any, the route moves
   * at once, and the next request starts an instance. Default: false.
   */
  readonly isLazy?: boolean;
}

/** Options of {@link GatewayControl.release}. */
export interface ReleaseOptions extends Omit<ActivateOptions, 'isLazy'> {
  /** Called with each line that the command prints. {@link GatewayEvents.onOutput} gets the output too. */
  readonly onOutput?: (line: string) => void;
}

/** The current revision of a route and its load. */
export interface ServiceSnapshot {
  readonly revision: string;
  /** See {@link RevisionTarget}; absent: 0. */
  readonly generation?: number;
  /** Starting and ready instances. */
  readonly instances: number;
  /** Those of them that are kept because they say that they are busy. */
  readonly busy: number;
  readonly inFlight: number;
  readonly queued: number;
}

/** Returns whether a route serves a revision as it was last started: of the same generation. */
export function isServed(
  route: Pick<ServiceSnapshot, 'revision' | 'generation'> | undefined,
  { revision, generation = 0 }: Pick<RevisionTarget, 'revision' | 'generation'>,
): boolean {
  return route?.revision === revision && (route.generation ?? 0) === generation;
}

/** The load and instances of a route, over all its revisions. */
export interface ServiceLoad {
  /** Name of the route; see {@link deploymentOf}. */
  readonly deployment: string;
  readonly inFlight: number;
  readonly queued: number;
  /** Number of instances that are kept because they say that they are busy, whatever their state. */
  readonly busy: number;
  /** Number of instances by state; states without instances are absent. */
  readonly instances: Readonly<Partial<Record<InstanceState, number>>>;
}

/** An instance that has not ended, with what it last used. */
export interface InstanceReport extends InstanceSource {
  readonly state: Exclude<InstanceState, 'failed' | 'gone'>;
  /** When its start began, or its adoption by this process. Wall time. */
  readonly startedAtMs: number;
  readonly inFlight: number;
  /** True when it has no request and says that it has work. */
  readonly isBusy: boolean;
  /** CPU at the last measurement, in thousandths of a core; null before the first one and while it is suspended. */
  readonly cpuMillis: number | null;
  /** Memory at the last measurement; null before the first one. */
  readonly memoryBytes: number | null;
}

/** How the requests of a deployment are spread over its revisions. */
export interface TrafficRule {
  readonly deployment: string;
  /** Whole percentages, which sum up to 100; empty when the current revision gets all requests. */
  readonly split: readonly { readonly route: string; readonly revision: string; readonly percent: number }[];
  /** Routes by the first label of the host that reaches them, such as `beta---my-app`. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The handlers that a front server passes requests to, after it has settled their targets. */
export interface RequestHandlers {
  /** Replaces all rules. Deployments without a rule have one route. */
  setTraffic(rules: readonly TrafficRule[]): void;
  /**
   * Serves a request whose host names `deployment`, or a tag of one. An unknown name is answered with a 404 page and not recorded, because no account
   * owns it. Also takes `checkContinue` requests: the client is sent 100 Continue once an instance is chosen.
   */
  handleRequest(deployment: string, request: IncomingMessage, response: ServerResponse): void;
  /** Serves an `Upgrade` request, such as a WebSocket, in the same way. */
  handleUpgrade(deployment: string, request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** The calls of the control plane on the data plane, in whichever process that runs. */
export interface GatewayControl {
  /**
   * Makes a revision the route at boot, unless there is one already. Starts its `minInstances` in the background; with none, the first
   * request starts an instance.
   */
  register(target: RevisionTarget): void;
  /**
   * Runs the release command of the revision's artifact to its end, with the environment, volumes and limits of an instance. Resolves
   * at once when there is none. Never changes the route.
   * @throws BerthError `start_failed`, `start_timeout`, `out_of_capacity` or `cancelled`; nothing of the command runs then.
   */
  release(target: RevisionTarget, options: ReleaseOptions): Promise<void>;
  /**
   * Starts the revision beside the current one, waits until its instances are ready, moves the route in one assignment, and drains the
   * replaced instances in the background. The same revision in another generation replaces its own instances; a stopped one starts none.
   * On failure the route doesn't change.
   * @throws BerthError `start_failed`, `start_timeout`, `port_not_open`, `out_of_capacity` or `cancelled`.
   */
  activate(target: RevisionTarget, options: ActivateOptions): Promise<void>;
  /**
   * Removes the route at once, drains and stops the instances; resolves when they have ended. Idempotent. Requests that wait for the route of
   * a revision beside the current one are served by the current one.
   * @param options.isLazy It was deleted elsewhere already: of several gateways, the one that has the service does it when it learns of that.
   */
  remove(deployment: string, options?: { readonly isLazy?: boolean }): Promise<void>;
  /**
   * Keeps a running instance until it is released: it is neither suspended nor stopped for idleness meanwhile, is billable, and serves as
   * before. A service at rest is woken first. The end of a deployment or of its revision is not held up.
   * @throws BerthError `not_found` without such a service or instance; those of a start; the signal's reason.
   */
  hold(deployment: string, options: HoldOptions): Promise<HeldInstance>;
  /**
   * Starts an instance of a revision that takes no requests, for commands: it has the revision's environment, volumes and limits, is
   * billable, and ends when it is released, with its deployment, and after a day. `signal` ends the start alone.
   * @throws BerthError `start_failed`, `out_of_capacity`; the signal's reason.
   */
  startOneOff(target: RevisionTarget, options: { readonly signal: AbortSignal }): Promise<HeldInstance>;
  snapshot(deployment: string): ServiceSnapshot | undefined;
  /** Returns the load of every deployment that has a route or is getting one; each is computed when it is iterated to. */
  loads(): Iterable<ServiceLoad>;
  /** Returns the instances of this gateway, of all revisions: those of one deployment, or of all. */
  instances(deployment?: string): Promise<readonly InstanceReport[]>;
  /** Refuses new requests, drains for `drainMs`, then stops every instance. Idempotent. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/**
 * The data plane: takes requests for deployments, starts and stops their instances. Names are unique over all accounts, so a name is the
 * route. Revisions beside the current one have routes of their own ({@link sideRoute}); calls that take a deployment take their names too.
 */
export interface Gateway extends GatewayControl, RequestHandlers {}
