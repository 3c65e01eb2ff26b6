import { createError } from '@berth/contract/errors';
import { type ApiCalls, createApiCalls } from '../transport/api-calls.ts';
import type { Call } from '../transport/transport.ts';

/** A call as the answer to it sees it. */
export interface FakeCall {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Calls that are answered by functions instead of a server. `answers` are by method and path of the OpenAPI document, e.g.
 * `POST /v1/volume/upload`; a function may throw what the call throws. Calls without an answer throw `not_found`.
 */
export function createFakeCalls<Paths extends object>(
  answers: Readonly<Record<string, (call: FakeCall) => unknown>>,
): ApiCalls<Paths> {
  return createApiCalls<Paths>({
    async json<Answer>({ method, path, params, body, signal }: Call) {
      const route = `${method.toUpperCase()} ${path}`;
      const answer = answers[route];
      if (!answer) throw createError('not_found', `nothing answers ${route}`);
      const call = {
        path: params?.path ?? {},
        query: params?.query ?? {},
        body: (body ?? {}) as FakeCall['body'],
        signal,
      };
      return (await answer(call)) as Answer;
    },
  });
}
