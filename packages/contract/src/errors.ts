import { BerthError } from '@berth/kit';
import type { ValidationIssue } from './validation-issue.ts';

/** The status and meaning of an error code. */
export interface ErrorMeaning {
  readonly status: number;
  readonly isRetryable: boolean;
  readonly meaning: string;
}

const say = (status: number, meaning: string, isRetryable = false): ErrorMeaning => ({ status, isRetryable, meaning });

/**
 * All errors that callers can get. They include the codes of a deploy's ERROR event (docs/contract/control-plane.md §2), whose
 * status is that of a plain response.
 */
export const ERRORS = {
  invalid: say(422, 'The request is well-formed, but some fields are invalid; `detail` names each of them.'),
  bad_request: say(400, 'The request cannot be read.'),
  unauthenticated: say(401, 'No credential, or one that is unknown, revoked or expired.'),
  forbidden: say(403, 'The credential is valid but does not own the resource or lacks the scope.'),
  not_found: say(404, 'The resource does not exist.'),
  method_not_allowed: say(405, "The path doesn't support this method; `Allow` lists the methods that it supports."),
  conflict: say(409, 'The resource is in a state that does not allow this now.'),
  payload_too_large: say(413, 'The body is too large.'),
  precondition_failed: say(412, 'A precondition of an If-… header failed.'),
  unsupported_media_type: say(415, 'The route does not support this Content-Type.'),
  range_not_satisfiable: say(416, 'The range starts after the end of the object.'),
  too_many_requests: say(429, 'A limit of the plan or the platform was reached.', true),
  not_available: say(501, 'This version of Berth does not support this.'),
  insufficient_storage: say(507, "The server's disk is full."),
  unavailable: say(503, 'A backing service is unavailable; try again.', true),
  internal: say(500, 'An internal error, logged under the request ID.', true),
  archive_too_large: say(422, 'The archive is over 100 MiB.'),
  archive_invalid: say(422, 'The archive is not a gzip tar, is damaged, or contains an entry that is not allowed.'),
  build_failed: say(422, 'The project was not recognized, or a command of its build failed.'),
  build_timeout: say(422, 'The build timed out.'),
  start_failed: say(422, 'The service exited before it listened.'),
  start_timeout: say(422, 'The service ran, but nothing answered on its port in time.'),
  port_not_open: say(422, 'The service listens, but not on its port.'),
  out_of_capacity: say(503, 'The machine has no capacity for the service.', true),
  canary_failed: say(422, 'The canary had clearly more errors than the current revision and lost its traffic.'),
  cancelled: say(409, 'The deploy was canceled.'),
} as const satisfies Record<string, ErrorMeaning>;

export type ErrorCode = keyof typeof ERRORS;

/** The codes with which a deploy can fail. Source: docs/contract/control-plane.md §2. */
export const DEPLOY_ERROR_CODES = [
  'archive_invalid',
  'build_failed',
  'build_timeout',
  'start_failed',
  'start_timeout',
  'port_not_open',
  'out_of_capacity',
  'canary_failed',
  'cancelled',
  'internal',
] as const satisfies readonly ErrorCode[];

export type DeployErrorCode = (typeof DEPLOY_ERROR_CODES)[number];

/** Creates an error. @param message a sentence that the caller can act on, without secrets */
export function createError(
  code: ErrorCode,
  message: string,
  options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
): BerthError {
  const { status, isRetryable } = ERRORS[code];
  return new BerthError({ code, message, status, isRetryable, ...options });
}

/** Creates the 422 error for invalid fields, rendered as `{"detail": issues}`. */
export function createValidationError(issues: readonly ValidationIssue[]): BerthError {
  const first = issues[0];
  return createError('invalid', first ? `${first.loc.join('.')}: ${first.msg}` : 'invalid request', {
    details: { issues },
  });
}
