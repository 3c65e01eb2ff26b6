import type { Session } from '../session/session.ts';

/** An answer that says no. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Calls of the agent's API with the person's token. */
export interface Api {
  /** @throws {ApiError} on every status but 2xx */
  send(path: string, init?: RequestInit): Promise<Response>;
  json<Value>(path: string, init?: RequestInit): Promise<Value>;
  /** As {@link json} with `body` as JSON. */
  sendJson<Value>(method: string, path: string, body: unknown): Promise<Value>;
}

/**
 * Calls with the token of `session`; where it has run out, once more with a new one.
 * @param teamId the team that the person works in; undefined for their personal workspace
 */
export function createApi(session: Session, teamId?: string): Api {
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const token = await session.token();
    let response = await call(path, init, token, teamId);
    if (response.status === 401 && token !== undefined) {
      if (!(await session.renew()))
        throw new ApiError(401, 'Your sign-in has ended. Reload the page to sign in again.');
      response = await call(path, init, await session.token(), teamId);
    }
    if (!response.ok) throw new ApiError(response.status, await detailOf(response));
    return response;
  };
  const json = async <Value>(path: string, init?: RequestInit) => (await (await send(path, init)).json()) as Value;
  return {
    send,
    json,
    sendJson: (method, path, body) =>
      json(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  };
}

function call(path: string, init: RequestInit, token: string | undefined, teamId: string | undefined) {
  const headers = new Headers(init.headers);
  if (teamId !== undefined) headers.set('X-Workspace', teamId);
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return fetch(path, { credentials: 'omit', ...init, headers, redirect: 'error' });
}

async function detailOf(response: Response): Promise<string> {
  try {
    const { detail } = (await response.json()) as { detail?: unknown };
    if (typeof detail === 'string') return detail;
    const [first] = detail as { loc: string[]; msg: string }[];
    return first ? `${first.loc.join('.')}: ${first.msg}` : `status ${response.status}`;
  } catch {
    return `The agent answered with status ${response.status}.`;
  }
}
