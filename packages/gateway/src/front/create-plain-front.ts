import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type PlainHead, parsePlainHead } from './plain-head.ts';
import { PlainRequest } from './plain-request.ts';
import { PlainResponse } from './plain-response.ts';

/** The requests to services. */
export interface ServiceRequests {
  /** Returns the deployment that a request goes to, by its host and target; undefined for a request to anything else. */
  find(host: string, url: string, isEncrypted: boolean): string | undefined;
  /** Request and response have only what an exchange uses of Node's. */
  serve(deployment: string, request: IncomingMessage, response: ServerResponse): void;
}

/** A request that has arrived with all of its body. */
export interface WholeRequest {
  readonly method: string;
  readonly url: string;
  /** The headers that `parsePlainHead` reads, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that the connection was read into. */
  readonly body: Uint8Array;
}

export interface WholeResponse {
  readonly status: number;
  /** Names and values in turn, with `Content-Length`. */
  readonly headers: readonly string[];
  readonly body?: string;
}

/** Requests that may be served without streams when a single read brings all of one. */
export interface WholeRequests {
  has(method: string, url: string): boolean;
  /** Never rejects. */
  serve(request: WholeRequest): Promise<WholeResponse>;
}

/** Options of {@link createPlainFront}. */
export interface PlainFrontOptions extends ServiceRequests {
  readonly whole?: WholeRequests | undefined;
  /** Serves a connection from the bytes on that it has yet to read. */
  handOver(socket: Socket): void;
  /** Idle timeout of a connection after a response. */
  readonly keepAliveMs: number;
  /** Longer heads are left to Node, and those of more than 8 KiB. */
  readonly headBytes: number;
  /** Time in which the first request of a connection must arrive. */
  readonly headTimeoutMs: number;
}

/** Serves usual requests from their sockets. */
export interface PlainFront {
  /** Serves a connection that speaks HTTP/1, until it gives it away. */
  serve(socket: Socket): void;
  close(): void;
}

/** A usual head is shorter, and arrives at once. */
const HEAD_BYTES_MAX = 8_192;
/** Bytes of the following requests that are read ahead. */
const AHEAD_BYTES_MAX = 65_536;
const HEAD_END = Buffer.from('\r\n\r\n');
const LOOK_MS = 1_000;

/**
 * Serves usual HTTP/1.1 requests from sockets, with a third of the CPU time that Node's HTTP server takes. A connection whose next request has
 * anything unusual goes to Node's server, with that request and for all that follow: only what both read alike is served here.
 */
export function createPlainFront(options: PlainFrontOptions): PlainFront {
  const connections = new Set<PlainConnection>();
  const keepAlive = `timeout=${Math.floor(options.keepAliveMs / 1_000)}`;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const nowMs = performance.now();
    for (const connection of connections) connection.endIfIdle(nowMs);
    timer = connections.size > 0 ? setTimeout(look, LOOK_MS).unref() : undefined;
  };
  return {
    serve(socket) {
      const connection = new PlainConnection(socket, options, keepAlive, () => connections.delete(connection));
      connections.add(connection);
      timer ??= setTimeout(look, LOOK_MS).unref();
    },
    close() {
      clearTimeout(timer);
    },
  };
}

class PlainConnection {
  readonly #socket: Socket;
  readonly #options: PlainFrontOptions;
  readonly #keepAlive: string;
  readonly #onGone: () => void;
  #request: PlainRequest | null = null;
  #response: PlainResponse | null = null;
  #isAnswered = false;
  #closes = false;
  /** Bytes after the request that is being served. */
  #ahead: Buffer | undefined;
  #isReading = false;
  #idleSinceMs = performance.now();
  #idleMs: number;

  constructor(socket: Socket, options: PlainFrontOptions, keepAlive: string, onGone: () => void) {
    this.#socket = socket;
    this.#options = options;
    this.#keepAlive = keepAlive;
    this.#onGone = onGone;
    this.#idleMs = options.headTimeoutMs;
    socket.on('data', this.#onData);
    socket.on('drain', this.#onDrain);
    socket.on('end', this.#onEnd);
    socket.on('error', ignore);
    socket.on('close', this.#onClose);
  }

  endIfIdle(nowMs: number): void {
    if (this.#request === null && nowMs - this.#idleSinceMs > this.#idleMs) this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer) => {
    const request = this.#request;
    if (request === null) {
      this.#ahead = this.#ahead === undefined ? chunk : Buffer.concat([this.#ahead, chunk]);
      this.#readNext();
      return;
    }
    const rest = request.complete ? chunk : request.receive(chunk);
    if (rest !== undefined) {
      this.#ahead = this.#ahead === undefined ? rest : Buffer.concat([this.#ahead, rest]);
      if (this.#ahead.length > AHEAD_BYTES_MAX) this.#socket.pause();
    }
    this.#endExchange();
  };

  readonly #onDrain = () => this.#response?.drained();

  /** A client that half-closes its connection counts as disconnected. Its response may still be on the way. */
  readonly #onEnd = () => {
    if (this.#request === null) this.#socket.end();
    else this.#socket.destroy();
  };

  readonly #onClose = () => {
    this.#onGone();
    this.#response?.close();
    this.#request?.close();
    this.#request = null;
    this.#response = null;
  };

  /** Serves the requests that have arrived, one after another. */
  #readNext(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#request === null && this.#ahead !== undefined && !this.#closes && !this.#socket.destroyed) {
      const bytes = this.#ahead;
      const end = bytes.indexOf(HEAD_END);
      const head =
        end < 0 || end > Math.min(HEAD_BYTES_MAX, this.#options.headBytes)
          ? undefined
          : parsePlainHead(bytes.toString('latin1', 0, end + 2));
      const isEncrypted = (this.#socket as { readonly encrypted?: boolean }).encrypted === true;
      const bodyAt = end + HEAD_END.length;
      const body = head && this.#bodyOfWhole(head, bytes, bodyAt);
      const deployment =
        head && !body ? this.#options.find(head.headers['host'] ?? '', head.url, isEncrypted) : undefined;
      if (head === undefined || (!body && deployment === undefined)) {
        this.#giveAway(bytes);
        break;
      }
      const request = new PlainRequest(head, this.#socket);
      const response = new PlainResponse(this.#socket, request, {
        ...{ closes: head.closes, keepAlive: this.#keepAlive },
        onDone: this.#onDone,
      });
      this.#request = request;
      this.#response = response;
      this.#isAnswered = false;
      const rest = bodyAt < bytes.length ? bytes.subarray(bodyAt) : undefined;
      this.#ahead = rest !== undefined && !request.complete ? request.receive(rest) : rest;
      if (body && this.#options.whole) void answerWhole(this.#options.whole, { ...head, body }, response);
      else if (deployment !== undefined)
        this.#options.serve(deployment, request as unknown as IncomingMessage, response as unknown as ServerResponse);
    }
    this.#isReading = false;
  }

  /** Returns the body of a request that is served whole. */
  #bodyOfWhole({ method, url, contentLength = 0 }: PlainHead, bytes: Buffer, at: number): Buffer | undefined {
    const end = at + contentLength;
    return end <= bytes.length && this.#options.whole?.has(method, url) ? bytes.subarray(at, end) : undefined;
  }

  readonly #onDone = (closes: boolean) => {
    this.#isAnswered = true;
    this.#closes = closes;
    if (closes) this.#socket.destroySoon();
    this.#endExchange();
  };

  /** Goes on with the next request when both sides of this one are complete. */
  #endExchange(): void {
    if (!this.#isAnswered || this.#request?.complete !== true) return;
    this.#request.close();
    this.#request = null;
    this.#response = null;
    this.#idleSinceMs = performance.now();
    this.#idleMs = this.#options.keepAliveMs;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (this.#ahead !== undefined) this.#readNext();
  }

  #giveAway(bytes: Buffer): void {
    const socket = this.#socket;
    this.#ahead = undefined;
    this.#onGone();
    socket.off('data', this.#onData);
    socket.off('drain', this.#onDrain);
    socket.off('end', this.#onEnd);
    socket.off('error', ignore);
    socket.off('close', this.#onClose);
    socket.unshift(bytes);
    this.#options.handOver(socket);
  }
}

async function answerWhole(whole: WholeRequests, request: WholeRequest, response: PlainResponse): Promise<void> {
  const { status, headers, body } = await whole.serve(request);
  response.writeHead(status, STATUS_CODES[status] ?? '', headers).end(body);
}

function ignore(): void {}
