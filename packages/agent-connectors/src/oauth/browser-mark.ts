import { createHash, randomBytes } from 'node:crypto';
import { type AgentAppContext, publicOrigin } from '@berth/agent-core';
import { createHostCookie } from '@berth/http';

/** As long as a consent may take. Source: docs/contract/agent-api.md §8. */
const LIFE_SECONDS = 600;

/**
 * What a browser is known by from asking for a consent until it comes back with it: else a link that somebody else began would
 * connect its account to theirs. Source: RFC 9700, 4.7.
 */
export interface BrowserMark {
  readonly hash: string;
}

/** The browser's mark; it gets one when it has none. One serves all consents that it begins. */
export function markBrowser(c: AgentAppContext, origin: string): BrowserMark {
  const value = readMark(c, origin) ?? randomBytes(24).toString('base64url');
  cookieAt(c, origin).set(c, value, LIFE_SECONDS);
  return { hash: hashOf(value) };
}

/** The mark of a browser that comes back to `origin`, where the consent was begun; undefined when it has none. */
export function findMark(c: AgentAppContext, origin: string): BrowserMark | undefined {
  const value = readMark(c, origin);
  return value === undefined ? undefined : { hash: hashOf(value) };
}

function readMark(c: AgentAppContext, origin: string): string | undefined {
  const value = cookieAt(c, origin).read(c.req.raw.headers);
  return value !== undefined && /^[\w-]{32}$/.test(value) ? value : undefined;
}

/** A consent that was begun over http doesn't make a browser that comes back over https show less. */
function cookieAt(c: AgentAppContext, origin: string) {
  const isSecure = [origin, publicOrigin(c)].some((one) => one.startsWith('https://'));
  return createHostCookie({ label: 'berth-connect', isSecure, sameSite: 'Lax' });
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

/**
 * Whether a person looks at the answer. A program, such as a client of the API, brings back what it was told; only a browser
 * can be led somewhere. Over plain http browsers don't send `Sec-Fetch-…`.
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
