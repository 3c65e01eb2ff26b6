import { type Api, ApiError, createCalls } from '../api/api.ts';

export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** An API that answers by method and path without query; what it does not know is 404. */
export function createFakeApi(answers: Readonly<Record<string, (call: FakeCall) => unknown>>) {
  const calls: FakeCall[] = [];
  const api: Api = createCalls(async (path, { method = 'GET', body: sent } = {}) => {
    const call = { method, path, body: typeof sent === 'string' ? JSON.parse(sent) : (sent ?? undefined) };
    calls.push(call);
    const handle = answers[`${method} ${path.split('?')[0]}`];
    if (!handle) throw new ApiError(404, `nothing answers ${method} ${path}`);
    return Response.json((await handle(call)) ?? null);
  });
  return { api, calls };
}
