import { type Api, ApiError } from '../api/api.ts';

export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** An API that answers by method and path without query; what it does not know is 404. */
export function createFakeApi(answers: Readonly<Record<string, (call: FakeCall) => unknown>>) {
  const calls: FakeCall[] = [];
  const answer = async (method: string, path: string, body: unknown) => {
    const call = { method, path, body };
    calls.push(call);
    const handle = answers[`${method} ${path.split('?')[0]}`];
    if (!handle) throw new ApiError(404, `nothing answers ${method} ${path}`);
    return await handle(call);
  };
  const api: Api = {
    send: async (path, init) => Response.json(await answer(init?.method ?? 'GET', path, init?.body ?? undefined)),
    json: async <Value>(path: string, init?: RequestInit) =>
      (await answer(init?.method ?? 'GET', path, init?.body ?? undefined)) as Value,
    sendJson: async <Value>(method: string, path: string, body: unknown) => (await answer(method, path, body)) as Value,
  };
  return { api, calls };
}
