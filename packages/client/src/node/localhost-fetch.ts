import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';

/** RFC 6761 section 6.3: names below `localhost` are this machine. Browsers know, Node's look-up does not. */
const lookupLocalhost: LookupFunction = (host, options, done) =>
  lookup(/(^|\.)localhost\.?$/i.test(host) ? 'localhost' : host, options, done);

let dispatcher: Agent | undefined;

/** `fetch` that finds `<name>.localhost`, as browsers and curl do. */
export const localhostFetch: typeof fetch = ((input: string, init: object) => {
  dispatcher ??= new Agent({ connect: { lookup: lookupLocalhost } });
  return undiciFetch(input, { ...init, dispatcher });
}) as unknown as typeof fetch;
