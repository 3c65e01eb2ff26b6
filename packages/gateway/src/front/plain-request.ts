import type { Socket } from 'node:net';
import type { PlainHead } from './plain-head.ts';

/** Bytes of a body that are kept for a reader that has not begun or has paused, before the client has to wait. */
const KEPT_BYTES_MAX = 65_536;

const NO_TRAILERS: readonly string[] = [];

/** A request of a plain connection: the part of Node's `IncomingMessage` that the gateway uses. */
export class PlainRequest {
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly rawTrailers = NO_TRAILERS;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly rawHeaders: readonly string[];
  readonly socket: Socket;
  /** All of the body has arrived. */
  complete: boolean;
  #missing: number;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #isFlowing = false;
  #hasEnded = false;
  #onData: ((chunk: Buffer) => void) | undefined;
  readonly #onEnd: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];

  constructor(head: PlainHead, socket: Socket) {
    this.method = head.method;
    this.url = head.url;
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders;
    this.socket = socket;
    this.#missing = head.contentLength ?? 0;
    this.complete = this.#missing === 0;
  }

  on(event: string, listener: (chunk: Buffer) => void): this {
    if (event === 'data') {
      this.#onData = listener;
      // After this turn, as streams do: the listener of `end` comes next.
      queueMicrotask(() => this.resume());
    } else if (event === 'end') this.#onEnd.push(listener as () => void);
    else if (event === 'close') this.#onClose.push(listener as () => void);
    return this;
  }

  once(event: string, listener: () => void): this {
    return this.on(event, listener);
  }

  pause(): this {
    this.#isFlowing = false;
    if (!this.complete) this.socket.pause();
    return this;
  }

  /** Delivers the body, or drops it when no one listens. */
  resume(): this {
    this.#isFlowing = true;
    if (!this.complete) this.socket.resume();
    while (this.#isFlowing) {
      const chunk = this.#kept.shift();
      if (chunk === undefined) break;
      this.#keptBytes -= chunk.length;
      this.#onData?.(chunk);
    }
    this.#end();
    return this;
  }

  /** Takes bytes of the connection. Returns those that follow the body; undefined when there are none. */
  receive(chunk: Buffer): Buffer | undefined {
    const part = chunk.length <= this.#missing ? chunk : chunk.subarray(0, this.#missing);
    this.#missing -= part.length;
    this.complete = this.#missing === 0;
    if (part.length > 0) {
      if (this.#isFlowing && this.#kept.length === 0) this.#onData?.(part);
      else {
        this.#kept.push(part);
        this.#keptBytes += part.length;
        if (this.#keptBytes > KEPT_BYTES_MAX && !this.complete) this.socket.pause();
      }
    }
    this.#end();
    return part.length === chunk.length ? undefined : chunk.subarray(part.length);
  }

  /** The connection is gone. */
  close(): void {
    for (const listener of this.#onClose) listener();
  }

  #end(): void {
    if (!this.complete || !this.#isFlowing || this.#kept.length > 0 || this.#hasEnded) return;
    this.#hasEnded = true;
    for (const listener of this.#onEnd) listener();
  }
}
