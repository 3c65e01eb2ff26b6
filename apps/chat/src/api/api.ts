import { type AgentPaths, type ApiCalls, callUrl, createApiCalls } from '@berth/client';
import { WORKSPACE_HEADER } from '@berth/contract/headers';
import type { Session } from '../session/session.ts';
import { fileUrl } from './file-path.ts';

/** An answer that says no. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Sends a request to a path of the agent. @throws {ApiError} on every status but 2xx */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/**
 * Calls of the agent's API with the person's token. `get`, `post` and the others are typed by the routes of the agent and
 * return the JSON of the answer, undefined for a 204; `send` is for answers that aren't JSON. All throw {@link ApiError}.
 */
export interface Api extends ApiCalls<AgentPaths> {
  readonly send: Send;
}

/**
 * Calls with the token of `session`. A call refused because the token has expired is repeated with a new one.
 * @param teamId the team that the person works in; undefined for their personal workspace
 */
export function createApi(session: Session, teamId?: string): Api {
  return createCalls(async (path, init = {}) => {
    const token = await session.token();
    let response = await call(path, init, token, teamId);
    if (response.status === 401 && token !== undefined) {
      if (!(await session.renew()))
        throw new ApiError(401, 'Your sign-in has ended. Reload the page to sign in again.');
      response = await call(path, init, await session.token(), teamId);
    }
    if (!response.ok) throw new ApiError(response.status, await detailOf(response));
    return response;
  });
}

/** Returns calls that `send` sends. A `{path}` of a file keeps its slashes; see {@link fileUrl}. */
export function createCalls(send: Send): Api {
  const calls = createApiCalls<AgentPaths>({
    async json(call) {
      const { method, body, signal } = call;
      const url = callUrl(call, { '/files/{path}': ({ path: file }) => fileUrl(String(file)) });
      const response = await send(url, { method: method.toUpperCase(), ...bodyOf(body), ...(signal && { signal }) });
      return response.status === 204 ? undefined : await response.json();
    },
  });
  return { send, ...calls };
}

function bodyOf(body: unknown): RequestInit {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

function call(path: string, init: RequestInit, token: string | undefined, teamId: string | undefined) {
  const headers = new Headers(init.headers);
  if (teamId !== undefined) headers.set(WORKSPACE_HEADER, teamId);
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
