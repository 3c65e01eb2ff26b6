import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../admission/refusal.ts';

/**
 * Normalizes a request's target before anything reads it. Afterwards `request.url` is a path and query (or `*`), and
 * `request.headers.host` is the one authority that the request names: `:authority` in HTTP/2, the authority of an absolute-form target
 * in HTTP/1, else `Host`. So routing and the service always see the same host.
 * @returns the refusal of a request that names several hosts (RFC 9112 section 3.2, RFC 9113 section 8.3.1) or has an invalid target.
 */
export function settleTarget(request: IncomingMessage): Refusal | undefined {
  const { headers, rawHeaders } = request;
  if (hasSeveralHosts(rawHeaders)) return SEVERAL_HOSTS;
  const named = readTarget(request);
  if (named === undefined) return BAD_TARGET;
  const { authority, path, scheme } = named;
  const { host } = headers;
  if (authority === undefined)
    return host === undefined || host === '' || AUTHORITY.test(host) ? undefined : BAD_TARGET;
  if (!AUTHORITY.test(authority)) return BAD_TARGET;
  if (host !== undefined && normalize(host, scheme) !== normalize(authority, scheme)) return SEVERAL_HOSTS;
  headers.host = authority;
  request.url = path;
  return undefined;
}

/** The parts of a request target. `authority` is absent when only `Host` names it. */
interface NamedTarget {
  readonly authority: string | undefined;
  readonly path: string;
  readonly scheme: string;
}

function readTarget({ headers, httpVersionMajor, url = '/' }: IncomingMessage): NamedTarget | undefined {
  const isOrigin = url.charCodeAt(0) === SLASH || url === '*';
  if (httpVersionMajor === 2) {
    const scheme = String(headers[':scheme']).toLowerCase();
    return isOrigin ? { authority: headers[':authority'] as string | undefined, path: url, scheme } : undefined;
  }
  if (isOrigin) return { authority: undefined, path: url, scheme: '' };
  const parts = ABSOLUTE_FORM.exec(url);
  if (parts === null) return undefined;
  const [, scheme = '', authority = '', path = ''] = parts;
  return { authority, path: path.startsWith('/') ? path : `/${path}`, scheme: scheme.toLowerCase() };
}

/** Returns true for more than one `Host` header. Node keeps the first in `headers` and drops the rest. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') count++;
  }
  return count > 1;
}

/** Lower-cases an authority and removes the default port of the scheme, for comparison (RFC 3986 section 6.2.3). */
function normalize(authority: string, scheme: string): string {
  const port = DEFAULT_PORTS[scheme];
  const lower = authority.toLowerCase();
  return port !== undefined && lower.endsWith(port) ? lower.slice(0, -port.length) : lower.replace(/:$/, '');
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
const SLASH = 0x2f;
const ABSOLUTE_FORM = /^(https?):\/\/([^/?#]*)(.*)$/is;

/** Host and port without user information (RFC 9110 sections 4.2.3 and 4.2.4). */
const AUTHORITY = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(?::\d*)?$/i;

const SEVERAL_HOSTS: Refusal = {
  status: 400,
  reason: 'several_hosts',
  message: 'The request names more than one host. `Host`, `:authority` and an absolute target must agree.',
};

const BAD_TARGET: Refusal = {
  status: 400,
  reason: 'bad_target',
  message:
    'The request target or its host is not valid. Send a path, or an http:// or https:// URL without user information.',
};
