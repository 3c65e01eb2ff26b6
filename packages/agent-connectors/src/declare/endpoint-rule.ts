import type { KeyEndpointRule } from '../connector/connector.ts';

/** No empty label. */
const HOST_BELOW = /^(?!\.)(?!.*\.\.)/;

/**
 * Reports whether a URL matches the owner's rule: the same scheme, host and port, or a host below `.example.com`. The
 * scheme is https unless the rule says http.
 */
export function isDeclaredEndpoint(url: URL, { hosts }: KeyEndpointRule): boolean {
  return hosts.some((rule) => {
    const { isHttp, isBelow, host } = readHostRule(rule);
    if (url.protocol !== (isHttp ? 'http:' : 'https:')) return false;
    return isBelow ? HOST_BELOW.test(url.host) && url.host.endsWith(`.${host}`) : url.host === host;
  });
}

/** Parses a rule: `http://host:port`, `host` or `.host`. */
export function readHostRule(rule: string): { isHttp: boolean; isBelow: boolean; host: string } {
  const isHttp = rule.startsWith('http://');
  const rest = rule.replace(/^https?:\/\//, '');
  const isBelow = rest.startsWith('.');
  return { isHttp, isBelow, host: isBelow ? rest.slice(1) : rest };
}

/**
 * Returns the user's address, ending in `/`; undefined when it doesn't match the rule. It has no credentials, query or
 * fragment, and no characters that programs parse differently.
 */
export function parseEndpoint(text: string, rule: KeyEndpointRule): string | undefined {
  const given = text.trim();
  // URL parsers tolerate these characters, but browsers and proxies read them differently.
  if (given === '' || given.length > 2_048 || /[\\@?#\s\p{Cc}]/u.test(given)) return undefined;
  const url = URL.parse(given.includes('://') ? given : `https://${given}`);
  if (!url || !isDeclaredEndpoint(url, rule)) return undefined;
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}
