import { createError } from '@berth/contract';

/**
 * A page's scripts send this header with the connector's name. Injected content that triggers requests can't add a
 * header.
 */
const HEADER = 'x-connector';
/** Header values that `fetch()` sends and elements and navigations don't. Source: W3C Fetch Metadata 2. */
const OF_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'sec-fetch-dest': ['empty'],
  'sec-fetch-mode': ['cors', 'same-origin'],
  'sec-fetch-site': ['same-origin'],
};

/**
 * Refuses calls that content on a page could have caused: images, frames, links, or a page's own loader of URLs found
 * in a message. `Sec-Fetch-Dest` and `Sec-Fetch-Site` identify browsers. Other clients can't be steered by content and
 * need only their token; the `fetch` of Node sends `Sec-Fetch-Mode` alone.
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
