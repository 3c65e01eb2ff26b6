import type { Berth } from '../../tests/harness/berth.ts';
import { request, type ServiceAnswer } from '../../tests/harness/request.ts';

/** Bound of one try: a server that is paused or cut off answers nothing. */
const TRY_MS = 8_000;
/** Bound of all tries: with one server away there are others. */
const TRIES = 40;
const PAUSE_MS = 250;

/** The servers behind one address, as a load balancer has them: a server that does not answer is passed over. */
export interface AnyServer {
  /** Calls the API of any server, as `Berth.api` does. A 502, 503 or 504, and no answer, are tried again on another server. */
  api(route: string, init?: RequestInit): Promise<Response>;
  /** {@link api} with a JSON body. */
  post(route: string, body: unknown): Promise<Response>;
  /** Asks a service through any server, in the same way. */
  ask(name: string, path: string): Promise<ServiceAnswer>;
}

const PASSED_OVER: ReadonlySet<number> = new Set([502, 503, 504]);

/** Balances over the servers that `isUp` names. */
export function createAnyServer(all: readonly Berth[], isUp: (berth: Berth) => boolean): AnyServer {
  async function onAny<Answer extends { readonly status: number }>(
    act: (berth: Berth, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    let last: unknown;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const up = all.filter(isUp);
      const berth = up[Math.floor(Math.random() * up.length)];
      if (berth) {
        try {
          const answer = await act(berth, AbortSignal.timeout(TRY_MS));
          if (!PASSED_OVER.has(answer.status)) return answer;
          last = answer.status;
        } catch (error) {
          last = error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new Error(`no server answered in ${TRIES} tries`, { cause: last });
  }
  const api = (route: string, init: RequestInit = {}) =>
    onAny((berth, signal) => berth.api(route, { signal, ...init }));
  return {
    api,
    post: (route, body) =>
      api(route, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    ask: (name, path) => onAny((berth, signal) => request(berth, name, path, { signal })),
  };
}
