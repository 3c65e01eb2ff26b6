import type { Clock } from '@berth/kit';
import type { UpstreamHandler } from '../port/upstream.ts';
import type { CreateUpstream, UpstreamTarget } from '../upstream/create-upstream.ts';

/** The request of a health check. */
export interface HttpQuestion {
  readonly method: 'GET' | 'OPTIONS';
  /** Path and query, or `*`. */
  readonly path: string;
  readonly host: string;
  readonly timeoutMs: number;
}

/** The status of the final response, or why there is none, as the end of a sentence: "closed the connection without a response". */
export type HttpAnswer = { readonly status: number } | { readonly problem: string };

/** Sends a request to an instance over a new connection. Never rejects. */
export type HttpProbe = (target: UpstreamTarget, question: HttpQuestion) => Promise<HttpAnswer>;

const USER_AGENT = 'Berth-Health-Check/1.0';

/** Creates a probe that uses the gateway's own HTTP clients, so that a check behaves like a request. */
export function createHttpProbe(clock: Clock, createUpstream: CreateUpstream): HttpProbe {
  return (target, { method, path, host, timeoutMs }) =>
    new Promise((resolve) => {
      const upstream = createUpstream(target);
      const close = () => {
        timer.cancel();
        upstream.destroy();
      };
      const timer = clock.setTimer(timeoutMs, () => {
        resolve({ problem: `gave no answer within ${timeoutMs / 1000} s` });
        close();
      });
      const handler: UpstreamHandler = {
        onConnected() {},
        onInformation() {},
        // The rest of the response is read, so that the service sees no broken connection.
        onResponse: ({ status }) => resolve({ status }),
        onData() {},
        onFlush() {},
        onDrain() {},
        onEnd: close,
        onUpgrade(_response, socket) {
          socket.destroy();
          close();
        },
        onError(error) {
          resolve({ problem: PROBLEMS[error.kind] });
          close();
        },
      };
      const headers = ['Host', host, 'User-Agent', USER_AGENT, 'Accept', '*/*'];
      upstream.open({ method, path, headers, body: 'none' }, handler, false);
    });
}

const PROBLEMS = {
  connect: 'refused the connection',
  refused: 'refused the request',
  reset: 'closed the connection without a response',
  truncated: 'broke off its response',
  protocol: 'answered with something that is not HTTP',
} as const;
