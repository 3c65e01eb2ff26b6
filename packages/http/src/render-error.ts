import { createError, ERRORS, type ErrorCode, type ValidationIssue } from '@berth/contract';
import { BerthError, describeError } from '@berth/kit';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type AnyContext, variablesOf } from './http-env.ts';

/** `Retry-After` of an error that has no value of its own. */
const DEFAULT_RETRY_AFTER_SECONDS = 5;

/**
 * Renders every error of both APIs. Source: docs/contract/control-plane.md §1, docs/contract/agent-api.md §1. In an
 * error's `details`, `retryAfterSeconds` becomes `Retry-After`, `challenge` becomes `WWW-Authenticate`, and `body` has
 * fields beside `detail`, which two errors of docs/contract/agent-api.md §2 need. An unexpected error is logged in
 * full, and shown without its cause.
 */
export function renderError(thrown: unknown, c: AnyContext): Response {
  const error = toBerthError(thrown);
  if (error.code === 'internal') {
    variablesOf(c).logger.error({ error: describeError(thrown) }, 'request failed');
  }
  const headers: Record<string, string> = {};
  if (error.status === 401) headers['WWW-Authenticate'] = String(error.details['challenge'] ?? 'Bearer');
  if (error.status === 405) headers['Allow'] = String(error.details['allow']);
  const isBusy = error.status === 429 || error.status === 503;
  const retryAfterSeconds = error.details['retryAfterSeconds'] ?? (isBusy ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  const body = { ...(error.details['body'] as object | undefined), detail: detailOf(error, variablesOf(c).requestId) };
  return c.json(body, error.status as ContentfulStatusCode, headers);
}

function detailOf(error: BerthError, requestId: string): string | readonly ValidationIssue[] {
  if (error.status === 422) {
    const issues = error.details['issues'] as readonly ValidationIssue[] | undefined;
    return issues ?? [{ loc: ['body'], msg: error.message, type: error.code }];
  }
  if (error.code === 'internal') {
    return `Internal error. The server's log has details under request ID ${requestId}.`;
  }
  return error.message;
}

function toBerthError(thrown: unknown): BerthError {
  if (BerthError.is(thrown)) return thrown;
  if (thrown instanceof HTTPException && thrown.status < 500) {
    const code = Object.keys(ERRORS).find((key) => ERRORS[key as ErrorCode].status === thrown.status);
    return createError((code as ErrorCode | undefined) ?? 'bad_request', thrown.message, { cause: thrown });
  }
  return createError('internal', 'internal error', { cause: thrown });
}
