import { createError } from '@berth/contract';
import { clientAddress } from '@berth/http';
import type { BerthError } from '@berth/kit';
import type { ApiContext } from '../http/api.ts';
import { AUTH_BASE_PATH, type Auth, CLIENT_ADDRESS_HEADER } from './create-auth.ts';

/** A call of one of better-auth's routes. */
export interface AuthCall {
  readonly method: 'GET' | 'POST';
  /** Under {@link AUTH_BASE_PATH}. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Calls better-auth for a request and returns its answer.
 * Of the request's headers only the bearer token and the user agent go on; a browser's session becomes a bearer token on the
 * way. Cookies don't, in either direction: which of them count is said by {@link BrowserCookie} alone.
 * @throws what the contract has for better-auth's refusal.
 */
export async function callAuth<Answer>(auth: Auth, c: ApiContext, { method, path, body }: AuthCall): Promise<Answer> {
  const headers = new Headers();
  for (const name of ['authorization', 'user-agent']) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const cookie = auth.cookie.read(c.req.raw.headers);
  if (cookie !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${cookie}`);
  // Requests without a socket are counted as one caller.
  headers.set(CLIENT_ADDRESS_HEADER, clientAddress(c) ?? '0.0.0.0');
  if (body) headers.set('content-type', 'application/json');
  const response = await auth.handle(
    // The host is of no matter: routes are found by path, and links are never made from it.
    new Request(new URL(AUTH_BASE_PATH + path, 'http://berth.invalid'), {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  );
  const answer = (await response.json().catch(() => null)) as unknown;
  if (!response.ok) throw toBerthError(response, answer);
  return answer as Answer;
}

function toBerthError(response: Response, answer: unknown): BerthError | Error {
  const { code = '', message = 'The request was refused.' } = (answer ?? {}) as { code?: string; message?: string };
  if (response.status === 401) return createError('unauthenticated', `${message}.`);
  if (response.status === 429) {
    return createError('too_many_requests', 'Too many tries. Wait, then try again.', {
      details: { retryAfterSeconds: Number(response.headers.get('x-retry-after') ?? 10) },
    });
  }
  if (response.status === 400) return createError('bad_request', `${message}.`);
  return new Error(`better-auth answered ${response.status} ${code}: ${message}`);
}
