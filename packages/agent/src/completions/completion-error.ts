import type { CompletionError } from '@berth/contract/agent';

/** What OpenAI's clients show for an error of `status`. Source: OpenAI's API reference, "Error codes". */
export function completionError(status: number, message: string, code: string | null = null): CompletionError {
  return { error: { message, type: typeOf(status), param: null, code } };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
