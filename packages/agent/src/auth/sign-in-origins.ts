import type { Clock } from '@berth/kit';
import type { Discovery, Endpoint } from './provider-requests.ts';

/** The endpoints that a page calls from scripts. People go to the others by navigation. */
const ENDPOINTS: readonly Endpoint[] = ['token_endpoint', 'userinfo_endpoint', 'revocation_endpoint'];

/** How long an answer counts, also an empty one: page views must not flood a provider that is down. */
const KEEP_MS = 10_000;

/**
 * Hosts that a Content-Security-Policy takes literally. URLs also allow `*`, which means every host there, and `;` and `,`, which
 * begin another directive or policy.
 */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * Returns a function that gives the origins of the endpoints in a provider's discovery document that a page calls: https, or on this
 * machine. It never fails. Only the first callers wait for the document; while it is read again, the last origins count.
 */
export function createSignInOrigins(discovery: Discovery, clock: Clock): () => Promise<readonly string[]> {
  let known: readonly string[] = [];
  let asked: { readonly origins: Promise<readonly string[]>; readonly atMs: number } | undefined;
  const ask = async () => {
    const found = await Promise.allSettled(ENDPOINTS.map((endpoint) => discovery.get(endpoint)));
    const urls = found.flatMap((one) => (one.status === 'fulfilled' ? [new URL(one.value)] : []));
    if (urls.length > 0) known = [...new Set(urls.filter(({ host }) => HOST.test(host)).map(({ origin }) => origin))];
    return known;
  };
  return async () => {
    if (!asked || clock.monotonicMs() - asked.atMs >= KEEP_MS) asked = { origins: ask(), atMs: clock.monotonicMs() };
    return known.length > 0 ? known : asked.origins;
  };
}
