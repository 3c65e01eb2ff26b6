import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { redactTarget } from '@berth/contract/redact-target';
import type { Clock, Timer } from '@berth/kit';
import type { ProxyTrust } from '@berth/kit/node';
import { codingRefusal, deletedRefusal, type Refusal, timeoutRefusal } from '../admission/refusal.ts';
import type { Route, SlotPool, Ticket } from '../admission/ticket.ts';
import type { Timed } from '../admission/timeout-list.ts';
import type { ServingInstance } from '../instances/serving-instance.ts';
import type { GatewayEvents } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { UpstreamError, UpstreamHandler, UpstreamResponse, UpstreamStream } from '../port/upstream.ts';
import { AFFINITY_COOKIE } from './affinity-cookie.ts';
import { ClientResponse } from './client-response.ts';
import { openTunnel, type TunnelEnd } from './open-tunnel.ts';
import { RequestBody } from './request-body.ts';
import { createRequestHead, type RequestHead } from './request-head.ts';
import { coldStartParts, resumeParts } from './request-record.ts';
import { readCookie, stickySetCookie } from './sticky-cookie.ts';
import { readTimeout, TIMEOUT_HEADER } from './timeout-grant.ts';
import type { TraceSource } from './trace-context.ts';
import { REVISION_COOKIE } from './traffic-table.ts';

/** Dependencies of all exchanges of a gateway. */
export interface ExchangeContext {
  readonly clock: Clock;
  readonly policy: GatewayPolicy;
  readonly events: Pick<GatewayEvents, 'onRequest'>;
  readonly traces: TraceSource;
  readonly proxies: ProxyTrust;
  /** The upstream is a program of the platform, which may read and set the platform's cookies. */
  readonly isPlatform: boolean;
  /** Verifies signed request timeouts (`berth-timeout`). */
  readonly secret: string | Uint8Array;
}

/** The client's side of an `Upgrade` request. */
export interface UpgradeClient {
  readonly protocol: string;
  readonly socket: Duplex;
  /** Returns the bytes that the client sent after its request, and stops collecting them. */
  readonly takeEarlyBytes: () => Buffer;
}

/** Estimated memory of the head and socket of a waiting request. */
const HEAD_BYTES_ESTIMATE = 2_048;
/** Body bytes that Node buffers before it pauses an unread request. */
const UNREAD_BODY_BYTES_MAX = 65_536;

/**
 * One request, from its complete headers to its record. An exchange is the ticket that waits for a slot, the handler of the instance's
 * response, and the entry in the timeout list. All three are one object, so that a usual request allocates no closures.
 * E1: a granted slot is released once: when the instance's side has ended, or `policy.slotHoldMs` after the timeout. E2: the client gets
 * one answer or a reset. E3: the record is written once, when the client's side has ended.
 */
export class Exchange implements Ticket, Timed, UpstreamHandler {
  readonly arrivedAtMs: number;
  readonly timeoutAtMs: number;
  readonly queuedBytes: number;
  readonly affinityKey: string | undefined;
  next: Ticket | null = null;
  previous: Ticket | null = null;
  isQueued = false;
  queuedAtMs: number | null = null;
  queueDeadlineMs = 0;
  queueTimer: Timer | null = null;
  nextTimed: Timed | null = null;
  previousTimed: Timed | null = null;

  readonly #context: ExchangeContext;
  #route: Route;
  /** The pool that admitted the request, later the pool that granted a slot. */
  #pool: SlotPool;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #head: RequestHead;
  readonly #body: RequestBody;
  readonly #client: ClientResponse;
  readonly #upgrade: UpgradeClient | null;
  /** Value of the cookie that keeps the browser on the revision; empty when it needs none. */
  #revisionKey: string;
  readonly #startedAtMs: number;
  readonly needsChunks: (() => boolean) | undefined;
  #instance: ServingInstance | null = null;
  #stream: UpstreamStream | null = null;
  #holdsSlot = false;
  /** The client's side has ended. Anything that the instance still sends is dropped. */
  #isOver = false;
  #isRetried = false;
  /** Whether the exchange is in its pool's timeout list. */
  #isTimed = false;
  #isRecorded = false;
  #holdTimer: Timer | null = null;
  #firstByteAtMs: number | null = null;
  #tunnel: TunnelEnd | null = null;

  constructor(
    context: ExchangeContext,
    route: Route,
    pool: SlotPool,
    request: IncomingMessage,
    response: ServerResponse,
    upgrade: UpgradeClient | null,
    revisionKey = '',
  ) {
    this.#context = context;
    this.#route = route;
    this.#pool = pool;
    this.#request = request;
    this.#response = response;
    this.#upgrade = upgrade;
    this.#revisionKey = revisionKey;
    this.#startedAtMs = context.clock.nowMs();
    this.arrivedAtMs = context.clock.monotonicMs();
    this.timeoutAtMs = this.arrivedAtMs + this.#timeoutMs();
    this.#head = createRequestHead(request, context.traces, context.proxies, context.isPlatform);
    this.#body = new RequestBody(request);
    this.#client = new ClientResponse(request, response, () => this.#stream?.resume(), this.#head.cookieHost);
    // An encrypted write is always still in memory, so it takes a copy of what was read.
    const tellsWhatWaits = 'isWaiting' in response && !('encrypted' in request.socket);
    this.needsChunks = tellsWhatWaits ? this.#clientNeedsChunks : undefined;
    const { framing } = this.#body;
    const unread = framing === 'none' ? 0 : framing === 'chunked' ? UNREAD_BODY_BYTES_MAX : framing;
    this.queuedBytes = HEAD_BYTES_ESTIMATE + Math.min(unread, UNREAD_BODY_BYTES_MAX);
    this.affinityKey = pool.target.sessionAffinity ? readCookie(request.headers.cookie, AFFINITY_COOKIE) : undefined;
    response.on('close', () => this.#onClientClose());
  }

  /** Asks the pool for a slot. Everything else follows from the outcome. */
  start(): void {
    const coding = this.#request.headers['transfer-encoding'];
    // Another coding would be lost with the header, and the service would take the encoded body for the plain one.
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') this.refuse(codingRefusal(coding));
    else this.#pool.admit(this);
  }

  /** Answers the request without the service. */
  refuse(refusal: Refusal, isClosing = false): void {
    this.#isOver = true;
    this.#client.answer(refusal, isClosing);
    this.#body.stop();
  }

  reroute(route: Route): void {
    this.#route = route;
    this.#revisionKey = '';
  }

  grant(instance: ServingInstance, pool: SlotPool): void {
    this.#instance = instance;
    this.#pool = pool;
    this.#holdsSlot = true;
    this.#isTimed = true;
    pool.timeouts.add(this);
    const upstream = instance.upstream;
    if (upstream === null) throw new Error('a ready instance has no upstream');
    const { method } = this.#request;
    const { framing } = this.#body;
    this.#stream = upstream.open(
      {
        method: method ?? 'GET',
        path: this.#head.path,
        headers: this.#head.headers,
        body: framing,
        ...(this.#upgrade === null ? {} : { upgrade: this.#upgrade.protocol }),
      },
      this,
      framing !== 'none' || !isIdempotent(method),
    );
  }

  onConnected(): void {
    if (this.#body.framing === 'none' || this.#body.framing === 0 || this.#stream === null || this.#isOver) return;
    if (this.#head.expectsContinue) this.#client.writeContinue();
    this.#body.start(this.#stream);
  }

  onInformation(status: number, rawHeaders: readonly string[]): void {
    if (this.#isOver || this.#client.status !== 0) return;
    try {
      this.#client.writeInformation(status, rawHeaders);
    } catch {
      // Informational responses are only hints. The final response is still to come.
    }
  }

  onResponse(response: UpstreamResponse): void {
    if (this.#isOver) return;
    if (this.queuedAtMs !== null) this.#firstByteAtMs = this.#context.clock.monotonicMs();
    try {
      this.#client.writeHead(response, this.#ownHeaders());
    } catch {
      // Node refuses a head that is not valid HTTP. Nothing of it was sent.
      this.#stream?.destroy();
      this.#endUpstream();
      this.refuse(this.#pool.refusalOf('protocol'));
    }
  }

  #clientNeedsChunks(): boolean {
    return this.#client.needsChunks();
  }

  onData(chunk: Buffer): void {
    if (!this.#isOver && !this.#client.write(chunk)) this.#stream?.pause();
  }

  onFlush(): void {
    if (!this.#isOver && !this.#client.flush()) this.#stream?.pause();
  }

  onDrain(): void {
    this.#body.resume();
  }

  onEnd(rawTrailers: readonly string[]): void {
    this.#endUpstream();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#client.end(rawTrailers);
    this.#body.stop();
  }

  onUpgrade(response: UpstreamResponse, socket: Duplex, head: Buffer): void {
    this.#stream = null;
    const instance = this.#instance;
    if (this.#isOver || this.#upgrade === null || instance === null) {
      socket.destroy();
      this.#endUpstream();
      return;
    }
    const { clock, policy } = this.#context;
    const tunnel = openTunnel({
      clock,
      closeMs: policy.webSocketCloseMs,
      response: this.#response,
      upgrade: this.#upgrade,
      upstreamResponse: response,
      cookieHost: this.#head.cookieHost,
      extraHeaders: this.#ownHeaders(),
      upstreamSocket: socket,
      upstreamHead: head,
      onUpstreamEnd: () => {
        instance.tunnels.delete(tunnel);
        this.#endUpstream();
      },
      onEnd: () => this.#record(),
    });
    this.#tunnel = tunnel;
    instance.tunnels.add(tunnel);
  }

  onError(error: UpstreamError): void {
    const instance = this.#instance;
    // Reported before the slot is released, so that the next request does not get a slot of this instance.
    if (error.kind === 'connect' && instance !== null) this.#pool.onConnectFailed(instance);
    this.#endUpstream();
    if (this.#isOver) return;
    if (this.#client.status !== 0) {
      this.#isOver = true;
      this.#client.reset();
    } else if (this.#mayRetry(error)) {
      this.#readmit();
    } else {
      this.refuse(this.#pool.refusalOf(error.kind));
    }
  }

  onTimeout(): void {
    this.#isTimed = false;
    if (this.#tunnel !== null) {
      this.#tunnel.close();
      return;
    }
    this.#isOver = true;
    const { deployment } = this.#pool.target;
    if (this.#client.status !== 0) this.#client.reset();
    else this.#client.answer(timeoutRefusal(deployment, this.timeoutAtMs - this.arrivedAtMs));
    this.#body.stop();
    // The instance may still work on the request. The slot stays taken until the instance ends it, for a limited time.
    this.#stream?.resume();
    this.#holdTimer = this.#context.clock.setTimer(this.#context.policy.slotHoldMs, () => {
      this.#stream?.destroy();
      this.#endUpstream();
    });
  }

  /** Releases the slot after the instance's side has ended. */
  #endUpstream(): void {
    this.#stream = null;
    if (!this.#holdsSlot || this.#instance === null) return;
    this.#holdsSlot = false;
    this.#holdTimer?.cancel();
    if (this.#isTimed) this.#pool.timeouts.remove(this);
    this.#isTimed = false;
    this.#pool.release(this.#instance);
  }

  /** Handles the end of the client's side: the response is complete, the client disconnected, or the response was reset. */
  #onClientClose(): void {
    if (!this.#isOver) {
      this.#isOver = true;
      if (this.isQueued) this.#route.current?.withdraw(this);
      this.#stream?.destroy();
      this.#endUpstream();
    }
    this.#record();
  }

  /** Returns the service's request timeout, or the one that the platform signed for this request. */
  #timeoutMs(): number {
    const { target } = this.#pool;
    const grant = this.#request.headers[TIMEOUT_HEADER];
    if (grant === undefined) return target.timeoutMs;
    return readTimeout(this.#context.secret, grant, target.deployment, this.#startedAtMs) ?? target.timeoutMs;
  }

  /**
   * Returns whether the request may be retried because the instance has not acted on it: the request was not sent, the instance refused
   * it, or an idle connection closed while it was sent. The last case is likely but not certain, so the request must also be idempotent.
   * When a connection breaks later, the instance may have acted. The platform's API is safe to retry for idempotent requests.
   */
  #mayRetry({ kind, isStale }: UpstreamError): boolean {
    if (kind === 'connect') return true;
    if (this.#isRetried || this.#body.bytes > 0) return false;
    const isSafe = this.#upgrade === null && isIdempotent(this.#request.method);
    const isUnread = kind === 'reset' && (isStale || this.#context.isPlatform);
    this.#isRetried = kind === 'refused' || (isSafe && isUnread);
    return this.#isRetried;
  }

  #readmit(): void {
    const pool = this.#route.current;
    if (pool === null) {
      this.refuse(deletedRefusal(this.#pool.target.deployment));
      return;
    }
    this.#instance = null;
    pool.readmit(this);
  }

  /** Returns the cookies that keep the client with the instance and the revision, unless it has them or needs none. */
  #ownHeaders(): readonly string[] {
    const key = this.#instance?.affinityKey;
    const isKnown = !key || key === this.affinityKey;
    if (isKnown && this.#revisionKey === '') return NO_HEADERS;
    const isSecure = this.#head.proto === 'https';
    const headers = isKnown ? [] : ['Set-Cookie', stickySetCookie(AFFINITY_COOKIE, key, isSecure)];
    if (this.#revisionKey !== '') {
      headers.push('Set-Cookie', stickySetCookie(REVISION_COOKIE, this.#revisionKey, isSecure));
    }
    return headers;
  }

  #record(): void {
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    const { target } = this.#pool;
    const endedAtMs = this.#context.clock.monotonicMs();
    const firstByteAtMs = this.#firstByteAtMs ?? endedAtMs;
    const coldStart = coldStartParts(this.arrivedAtMs, this.queuedAtMs, this.#instance, firstByteAtMs);
    const resume = resumeParts(this.arrivedAtMs, this.queuedAtMs, this.#instance, firstByteAtMs);
    this.#context.events.onRequest({
      account: target.account,
      deployment: target.deployment,
      revision: target.revision,
      ...(this.#instance === null ? {} : { instance: this.#instance.id }),
      startedAtMs: this.#startedAtMs,
      method: this.#request.method ?? '',
      url: redactTarget(this.#head.path),
      host: this.#head.host,
      protocol: `HTTP/${this.#request.httpVersion}`,
      status: this.#tunnel !== null ? 101 : this.#client.status || CLIENT_CLOSED_REQUEST,
      latencyMs: endedAtMs - this.arrivedAtMs,
      requestSize: this.#head.bytes + this.#body.bytes + (this.#tunnel?.bytesFromClient ?? 0),
      responseSize: this.#client.bytes + (this.#tunnel?.bytesToClient ?? 0),
      remoteIp: this.#head.clientAddress,
      userAgent: this.#request.headers['user-agent'] ?? '',
      trace: this.#head.trace,
      ...(coldStart === undefined ? {} : { coldStart }),
      ...(resume === undefined ? {} : { resume }),
    });
  }
}

/** Status in the record of a request whose client disconnected before a response began. */
const CLIENT_CLOSED_REQUEST = 499;
const NO_HEADERS: readonly string[] = [];
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Returns true for an idempotent method (RFC 9110 section 9.2.2). */
function isIdempotent(method: string | undefined): boolean {
  return method !== undefined && IDEMPOTENT.has(method);
}
