import { createHash, randomBytes } from 'node:crypto';
import { type AgentAppContext, publicOrigin } from '@berth/agent-core';
import { createHostCookie } from '@berth/http';

/** Lifetime of an authorization. Source: docs/contract/agent-api.md §8. */
const LIFE_SECONDS = 600;

/**
 * Identifies a browser by a cookie from the start of an authorization until the callback. Without it, a link that an
 * attacker started would connect the attacker's account for the victim, or the reverse. Source: RFC 9700, 4.7.
 */
export interface BrowserMark {
  readonly hash: string;
}

/**
 * Returns the browser's mark, setting the cookie if it has none. One mark serves all authorizations that the browser
 * starts.
 */
export function markBrowser(c: AgentAppContext, origin: string): BrowserMark {
  const value = readMark(c, origin) ?? randomBytes(24).toString('base64url');
  cookieAt(c, origin).set(c, value, LIFE_SECONDS);
  return { hash: hashOf(value) };
}

/**
 * Returns the mark of a browser at the callback on `origin`, where the authorization started; undefined when it has
 * none.
 */
export function findMark(c: AgentAppContext, origin: string): BrowserMark | undefined {
  const value = readMark(c, origin);
  return value === undefined ? undefined : { hash: hashOf(value) };
}

function readMark(c: AgentAppContext, origin: string): string | undefined {
  const value = cookieAt(c, origin).read(c.req.raw.headers);
  return value !== undefined && /^[\w-]{32}$/.test(value) ? value : undefined;
}

/**
 * Returns the cookie. An authorization that started over http must not weaken the cookie of a browser that returns over
 * https.
 */
function cookieAt(c: AgentAppContext, origin: string) {
  const isSecure = [origin, publicOrigin(c)].some((one) => one.startsWith('https://'));
  return createHostCookie({ label: 'berth-connect', isSecure, sameSite: 'Lax' });
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

/**
 * Reports whether the client is a browser. A program, such as an API client, sends the callback on purpose; only a
 * browser can be led to it. Browsers don't send `Sec-Fetch-…` over plain http.
 */
export function isBrowser(c: AgentAppContext): boolean {
  const header = (name: string) => c.req.header(name) ?? '';
  return (
    header('sec-fetch-site') !== '' ||
    header('sec-fetch-mode') === 'navigate' ||
    header('accept').includes('text/html') ||
    header('user-agent').startsWith('Mozilla/')
  );
}
