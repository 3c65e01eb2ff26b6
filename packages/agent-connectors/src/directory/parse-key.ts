import { createValidationError } from '@berth/contract';
import type { PutConnectorKey } from '@berth/contract/agent';
import type { Connector, KeyAuth } from '../connector/connector.ts';
import type { KeyCredential } from '../connector/grants.ts';
import { parseEndpoint } from '../declare/endpoint-rule.ts';

/** Maximum length of a key in characters; longer input is probably a file pasted by mistake. */
const MAX_KEY = 4_096;

/** Parses the key that a user pasted. @throws `invalid` naming the field; no message contains the key. */
export function parseKey(
  { key: pasted, endpoint: given }: PutConnectorKey,
  { api, title }: Connector,
  auth: KeyAuth,
): KeyCredential {
  const key = withoutScheme(pasted.trim(), auth);
  if (key === '') throw wrong('key', 'the key is empty');
  if (key.length > MAX_KEY) throw wrong('key', `a key has at most ${MAX_KEY} characters`);
  // The characters of a header value, without the deprecated ones. Source: RFC 9110 5.5.
  if (!/^[\x20-\x7e]+$/.test(key)) throw wrong('key', 'a key must be one line of printable ASCII characters');
  if (!auth.endpoint) {
    if (given !== undefined) throw wrong('endpoint', `${title} has a fixed URL: leave out endpoint`);
    return { type: 'key', key };
  }
  const example = auth.endpoint.example ?? auth.endpoint.hosts.join(', ');
  if (given === undefined) {
    if (!api) throw wrong('endpoint', `add the URL: ${example}`);
    return { type: 'key', key };
  }
  const endpoint = parseEndpoint(given, auth.endpoint);
  if (endpoint === undefined) throw wrong('endpoint', `must be a URL of ${title}: ${example}`);
  return { type: 'key', key, endpoint };
}

/** Removes the scheme: users also paste `Bearer abc`, as manuals show it. */
function withoutScheme(key: string, { place }: KeyAuth): string {
  const prefix = place.in === 'header' && place.scheme !== undefined ? `${place.scheme} `.toLowerCase() : undefined;
  return prefix !== undefined && key.toLowerCase().startsWith(prefix) ? key.slice(prefix.length).trim() : key;
}

function wrong(field: string, msg: string) {
  return createValidationError([{ loc: ['body', field], msg, type: 'value_error' }]);
}
