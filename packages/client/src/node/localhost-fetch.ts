import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Agent } from 'undici';

/** Names below `localhost` are this machine (RFC 6761 section 6.3). Plain Linux doesn't resolve them. */
const LOCALHOST_NAME = /\.localhost\.?$/i;

/** `dns.lookup` that resolves `<name>.localhost`: the `lookup` of a `node:http` request. */
export const lookupLocalhost: LookupFunction = (host, options, done) =>
  lookup(LOCALHOST_NAME.test(host) ? 'localhost' : host, options, done);

let localhostAgent: Promise<Agent> | undefined;

/** Node's `fetch`, which reaches `<name>.localhost` too, as browsers and curl do. */
export const localhostFetch: typeof fetch = async (input, init) => {
  const { hostname } = new URL(input instanceof Request ? input.url : input);
  if (!LOCALHOST_NAME.test(hostname)) return fetch(input, init);
  // Loaded when it is needed: most addresses resolve, and a command starts faster without it.
  localhostAgent ??= import('undici').then(({ Agent }) => new Agent({ connect: { lookup: lookupLocalhost } }));
  const local: RequestInit & { dispatcher: Agent } = { ...init, dispatcher: await localhostAgent };
  return fetch(input, local);
};
