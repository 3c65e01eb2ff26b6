import type { Clock } from '@berth/kit';
import type { UpstreamHandler } from '../port/upstream.ts';
import type { CreateUpstream, UpstreamTarget } from '../upstream/create-upstream.ts';

/** The request of a health check, or of another question to an instance. */
export interface HttpQuestion {
  readonly method: 'GET' | 'OPTIONS';
  /** Path and query, or `*`. */
  readonly path: string;
  readonly host: string;
  readonly timeoutMs: number;
  /** Headers besides `Host`, flat; those of a health check by default. */
  readonly headers?: readonly string[];
  /** Maximum bytes of the body that the answer holds; without it, the body is ignored. */
  readonly bodyBytes?: number;
}

/**
 * The status of the final response, or why there is none, as the end of a sentence: "closed the connection without a response".
 * `body` is set when it was asked for and isn't too long.
 */
export type HttpAnswer =
  | { readonly status: number; readonly body?: string }
  | { readonly problem: string; readonly isTimeout?: boolean };

/** Sends a request to an instance over a new connection. Never rejects. */
export type HttpProbe = (target: UpstreamTarget, question: HttpQuestion) => Promise<HttpAnswer>;

const HEALTH_CHECK_HEADERS = ['User-Agent', 'Berth-Health-Check/1.0', 'Accept', '*/*'];

/** Creates a probe that uses the gateway's own HTTP clients, so that a check behaves like a request. */
export function createHttpProbe(clock: Clock, createUpstream: CreateUpstream): HttpProbe {
  return (target, { method, path, host, timeoutMs, headers = HEALTH_CHECK_HEADERS, bodyBytes }) =>
    new Promise((resolve) => {
      const upstream = createUpstream(target);
      const chunks: Buffer[] = [];
      let size = 0;
      let status = 0;
      const close = () => {
        timer.cancel();
        upstream.destroy();
      };
      const timer = clock.setTimer(timeoutMs, () => {
        resolve({ problem: `did not respond within ${timeoutMs / 1000} s`, isTimeout: true });
        close();
      });
      const handler: UpstreamHandler = {
        onConnected() {},
        onInformation() {},
        // The rest of the response is read, so that the service sees no broken connection.
        onResponse(response) {
          ({ status } = response);
          if (bodyBytes === undefined) resolve({ status });
        },
        onData(chunk) {
          if (bodyBytes === undefined) return;
          size += chunk.length;
          if (size <= bodyBytes) chunks.push(Buffer.from(chunk));
          else {
            resolve({ status });
            close();
          }
        },
        onFlush() {},
        onDrain() {},
        onEnd() {
          resolve({ status, body: Buffer.concat(chunks).toString('utf8') });
          close();
        },
        onUpgrade(_response, socket) {
          socket.destroy();
          close();
        },
        onError(error) {
          resolve({ problem: PROBLEMS[error.kind] });
          close();
        },
      };
      upstream.open({ method, path, headers: ['Host', host, ...headers], body: 'none' }, handler, false);
    });
}

const PROBLEMS = {
  connect: 'refused the connection',
  refused: 'refused the request',
  reset: 'closed the connection without a response',
  truncated: 'closed the connection during its response',
  protocol: 'returned an invalid HTTP response',
} as const;
