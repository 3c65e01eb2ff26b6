import type { KeyEndpointRule } from '../connector/connector.ts';

/** No empty label. */
const HOST_BELOW = /^(?!\.)(?!.*\.\.)/;

/**
 * Whether an address is one that the owner declared: the same scheme, host and port, or a host below `.example.com`. Https, unless the
 * rule says http.
 */
export function isDeclaredEndpoint(url: URL, { hosts }: KeyEndpointRule): boolean {
  return hosts.some((rule) => {
    const { isHttp, isBelow, host } = readHostRule(rule);
    if (url.protocol !== (isHttp ? 'http:' : 'https:')) return false;
    return isBelow ? HOST_BELOW.test(url.host) && url.host.endsWith(`.${host}`) : url.host === host;
  });
}

/** `http://host:port`, `host`, `.host`. */
export function readHostRule(rule: string): { isHttp: boolean; isBelow: boolean; host: string } {
  const isHttp = rule.startsWith('http://');
  const rest = rule.replace(/^https?:\/\//, '');
  const isBelow = rest.startsWith('.');
  return { isHttp, isBelow, host: isBelow ? rest.slice(1) : rest };
}

/**
 * The address that a person gave, ending in `/`; undefined when it is none of those the owner declared. It has no credentials, query
 * or fragment, and nothing that programs read in different ways.
 */
export function parseEndpoint(text: string, rule: KeyEndpointRule): string | undefined {
  const given = text.trim();
  // What URL parsers forgive, and browsers and proxies read as something else.
  if (given === '' || given.length > 2_048 || /[\\@?#\s\p{Cc}]/u.test(given)) return undefined;
  const url = URL.parse(given.includes('://') ? given : `https://${given}`);
  if (!url || !isDeclaredEndpoint(url, rule)) return undefined;
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}
