import { BerthError } from '@berth/kit';
import type { ApiContext } from '../http/api.ts';

/** Error codes of the token endpoint. Source: RFC 6749 section 5.2. */
type OauthErrorCode = 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';

class OauthError extends Error {
  readonly code: OauthErrorCode;
  constructor(code: OauthErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

export function createOauthError(code: OauthErrorCode, description: string): Error {
  return new OauthError(code, description);
}

/** Returns an OAuth error response, `{error, error_description}`, which is never cached. */
export async function answerOauthErrors(c: ApiContext, answer: () => Promise<Response>): Promise<Response> {
  c.header('Cache-Control', 'no-store');
  try {
    return await answer();
  } catch (error) {
    if (error instanceof OauthError) {
      const status = error.code === 'invalid_client' ? 401 : 400;
      return c.json({ error: error.code, error_description: error.message }, status);
    }
    if (BerthError.is(error) && error.status < 500) {
      return c.json({ error: 'invalid_request', error_description: error.message }, 400);
    }
    throw error;
  }
}
