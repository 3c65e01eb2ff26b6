import { createHash, randomBytes } from 'node:crypto';
import { getCookie, setCookie } from 'hono/cookie';
import type { AgentAppContext } from '../../http/agent-app.ts';

/** As long as a consent may take. Source: spec agent-api 8. */
const LIFE_SECONDS = 600;
const NAME = 'berth-connect';

/**
 * What a browser is known by from asking for a consent until it comes back with it: else a link that somebody else began would
 * connect its account to theirs. Source: RFC 9700, 4.7.
 */
export interface BrowserMark {
  readonly hash: string;
}

/** The browser's mark; it gets one when it has none. One serves all consents that it begins. */
export function markBrowser(c: AgentAppContext, origin: string): BrowserMark {
  const isSecure = origin.startsWith('https://');
  const value = readMark(c) ?? randomBytes(24).toString('base64url');
  setCookie(c, NAME, value, {
    // `__Host-`: no sibling of the agent's domain can set it. Source: RFC 6265bis, 4.1.3.2.
    ...(isSecure && { prefix: 'host' as const }),
    ...{ httpOnly: true, secure: isSecure, sameSite: 'Lax', path: '/', maxAge: LIFE_SECONDS },
  });
  return { hash: hashOf(value) };
}

export function findMark(c: AgentAppContext): BrowserMark | undefined {
  const value = readMark(c);
  return value === undefined ? undefined : { hash: hashOf(value) };
}

function readMark(c: AgentAppContext): string | undefined {
  const value = getCookie(c, NAME, 'host') ?? getCookie(c, NAME);
  return value !== undefined && /^[\w-]{32}$/.test(value) ? value : undefined;
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
