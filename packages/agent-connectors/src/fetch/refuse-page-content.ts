import { createError } from '@berth/contract';

/** A page sends it with the connector's name: content that leads a page's requests astray can't add a header. */
const HEADER = 'x-connector';
/** What `fetch()` sends, and neither elements nor navigations do. Source: W3C Fetch Metadata 2. */
const OF_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'sec-fetch-dest': ['empty'],
  'sec-fetch-mode': ['cors', 'same-origin'],
  'sec-fetch-site': ['same-origin'],
};

/**
 * Refuses calls that what a page shows could have caused: an image, a frame or a link, and a page's own reader of addresses
 * that a message names. `Sec-Fetch-Dest` and `-Site` tell browsers from other clients, which no content steers and which
 * need nothing but their token; the `fetch` of Node sends `Sec-Fetch-Mode` alone.
 * @throws `forbidden`
 */
export function refusePageContent(headers: Headers, connector: string): void {
  if (!headers.has('sec-fetch-dest') && !headers.has('sec-fetch-site')) return;
  for (const [name, allowed] of Object.entries(OF_SCRIPTS)) {
    const value = headers.get(name);
    if (value === null || allowed.includes(value)) continue;
    throw createError(
      'forbidden',
      `APIs are called by scripts of the agent's own pages alone, not with ${name}: ${value}.`,
    );
  }
  if (headers.get(HEADER) === connector) return;
  throw createError('forbidden', `A page that calls an API sends its connector's name: "X-Connector: ${connector}".`);
}
