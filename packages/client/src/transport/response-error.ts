import type { ValidationIssue } from '@berth/contract';
import { ERRORS, type ErrorCode } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import { formatIssues } from './format-issues.ts';

/** The codes that an answer's status stands for; other statuses have the code of the nearest of them. */
const CODES = [
  ...(['bad_request', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'payload_too_large'] as const),
  ...(['unsupported_media_type', 'invalid', 'too_many_requests', 'internal', 'not_available', 'unavailable'] as const),
] satisfies readonly ErrorCode[];

/** The parts of an answer an error is made of; a `Response` without its body reader. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/**
 * The error an answer other than 2xx stands for. Its `details` hold `issues` (422), `error` (a refusal as OAuth
 * words it), `retryAfterMs` (429, 503) and `requestId`, each only when the server sent it.
 */
export function responseError(answer: AnswerHead, body: string, url: string): BerthError {
  const { detail, error } = readBody(body);
  const issues = Array.isArray(detail) ? detail.filter(isIssue) : undefined;
  const requestId = answer.headers.get('x-request-id');
  const retryAfterMs = readRetryAfterMs(answer.headers.get('retry-after'));
  const code = codeOf(answer.status);
  return new BerthError({
    code,
    message: messageOf(answer, detail, issues, url),
    status: answer.status,
    isRetryable: ERRORS[code].isRetryable,
    details: {
      ...(issues ? { issues } : {}),
      ...(typeof error === 'string' ? { error } : {}),
      ...(requestId ? { requestId } : {}),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
}

function messageOf(
  { status, headers }: AnswerHead,
  detail: unknown,
  issues: readonly ValidationIssue[] | undefined,
  url: string,
): string {
  if (typeof detail === 'string' && detail !== '') return detail;
  if (issues && issues.length > 0) return formatIssues(issues);
  // Status 0 is how a browser shows a redirect that was not followed.
  if (status === 0 || (status >= 300 && status < 400)) {
    return `${url} redirects to ${headers.get('location') ?? 'another address'}. Use the URL of that server.`;
  }
  return `${url} answered ${status} without an error message. Check that the URL belongs to a Berth server or an agent.`;
}

function codeOf(status: number): ErrorCode {
  if (status === 410) return 'not_found';
  const code = CODES.find((candidate) => ERRORS[candidate].status === status);
  if (code !== undefined) return code;
  if (status === 502 || status === 504) return 'unavailable';
  return status >= 500 ? 'internal' : 'bad_request';
}

function readBody(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isIssue(value: unknown): value is ValidationIssue {
  if (typeof value !== 'object' || value === null) return false;
  const { loc, msg } = value as Record<string, unknown>;
  return Array.isArray(loc) && typeof msg === 'string';
}

/** `Retry-After` in seconds or as an HTTP date (RFC 9110 section 10.2.3), as milliseconds from now. */
function readRetryAfterMs(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
