import { createError } from '@berth/contract/errors';

/**
 * The address of a server in its one form: scheme, host, path without a `/` at its end, no query, no fragment.
 * @throws `bad_request` when `text` is not an http or https address, or holds a password.
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw createError('bad_request', `"${text}" is not a URL. Use the form http://localhost:8787`);
  }
  if (url.username !== '' || url.password !== '') {
    throw createError('bad_request', 'The server URL must not contain a user name or password. Use an API key.');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}
