import { ERRORS, type ErrorCode, errorBodySchema, validationErrorBodySchema } from '@berth/contract';

/** An error response in a route object. */
export interface ErrorResponse {
  readonly description: string;
  readonly headers: Record<string, { description: string; schema: { type: 'string' } }>;
  readonly content: { 'application/json': { schema: typeof errorBodySchema | typeof validationErrorBodySchema } };
}

const header = (description: string) => ({ description, schema: { type: 'string' as const } });

/** Returns the response that `code` is rendered as. Source: docs/contract/control-plane.md §1. */
export function errorResponse(code: ErrorCode): ErrorResponse {
  const { status, meaning } = ERRORS[code];
  return {
    description: meaning,
    headers: {
      'X-Request-Id': header("ID of the request, also in the platform's log"),
      ...(status === 401 ? { 'WWW-Authenticate': header('Bearer') } : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': header('Seconds to wait') } : {}),
    },
    content: { 'application/json': { schema: status === 422 ? validationErrorBodySchema : errorBodySchema } },
  };
}

/** Returns the `errorResponse` of each code, by status; of two codes with one status, the first. */
export function errorResponses(codes: readonly ErrorCode[]): Record<number, ErrorResponse> {
  const responses: Record<number, ErrorResponse> = {};
  for (const code of codes) responses[ERRORS[code].status] ??= errorResponse(code);
  return responses;
}
