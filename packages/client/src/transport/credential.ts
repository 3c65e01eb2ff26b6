import { createError } from '@berth/contract/errors';
import { API_KEY_HEADER, BROWSER_HEADER } from '@berth/contract/headers';

/**
 * Credential of the caller. Source: docs/contract/control-plane.md §1.
 * `cookie` is for pages of the platform itself: the browser keeps the session where no script can read it.
 */
export type Credential = { readonly apiKey: string } | { readonly bearer: string } | { readonly cookie: true };

/** A header value that every HTTP client sends as it is: visible ASCII, no blanks. */
const SENDABLE = /^[\x21-\x7e]+$/;

/**
 * The header that carries `credential`; none without one.
 * @throws `unauthenticated` for a key no header can hold. The message never repeats the key: the error of `fetch` would.
 */
export function credentialHeaders(credential: Credential | undefined): Record<string, string> {
  if (!credential) return {};
  if ('cookie' in credential) return { [BROWSER_HEADER]: '1' };
  const secret = 'apiKey' in credential ? credential.apiKey : credential.bearer;
  if (!SENDABLE.test(secret)) {
    throw createError('unauthenticated', 'The API key is empty or contains invalid characters. Copy it again.');
  }
  return 'apiKey' in credential ? { [API_KEY_HEADER]: secret } : { authorization: `Bearer ${secret}` };
}
