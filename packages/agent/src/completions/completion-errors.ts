import type { AgentEnv } from '@berth/agent-core';
import type { CompletionError } from '@berth/contract/agent';
import { BerthError } from '@berth/kit';
import type { MiddlewareHandler } from 'hono';

/** The body of an error response of the agent's API. */
interface ErrorBody {
  readonly detail?: string | readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[];
}

/** Returns middleware that adds the `error` object of OpenAI's API to error responses, next to `detail`. */
export function completionErrors(): MiddlewareHandler<AgentEnv> {
  return async (c, next) => {
    await next();
    if (c.res.status < 400 || !c.res.headers.get('content-type')?.startsWith('application/json')) return;
    const body = (await c.res.json()) as ErrorBody & Partial<CompletionError>;
    const headers = new Headers(c.res.headers);
    headers.delete('content-length');
    const error = body.error ?? toError(c.res.status, body);
    c.res = new Response(JSON.stringify({ ...body, error }), { status: c.res.status, headers });
  };
}

/** Returns an error in the form of OpenAI's API. Source: OpenAI's API reference, "Error codes". */
export function completionError(status: number, message: string, param: string | null = null): CompletionError {
  return { error: { message, type: typeOf(status), param, code: null } };
}

/**
 * Returns true for an error whose own message is for the caller: a store that can't be reached (503), or a budget that is used
 * up (429). All others are logged, and the caller gets a reference.
 */
export function isForCaller(error: unknown): error is BerthError {
  return BerthError.is(error) && (error.code === 'unavailable' || error.code === 'too_many_requests');
}

function toError(status: number, { detail = '' }: ErrorBody): CompletionError['error'] {
  if (typeof detail === 'string') return completionError(status, detail).error;
  const message = detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
  return completionError(status, message, detail[0]?.loc.slice(1).join('.') ?? null).error;
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
