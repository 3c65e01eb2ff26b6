import { lookup } from 'node:dns/promises';
import type { Clock } from '@berth/kit';
import { createNetworkList } from '@berth/kit/node';
import {
  createGuardedConnections,
  decodeBody,
  type GuardedAnswer,
  type GuardedResponse,
  guardedRequest,
  isOwnAddress,
  isPublicAddress,
  OutboundError,
  readUpTo,
} from '@berth/outbound';
import { type FetchLimits, fetchOf, type OutboundRequest } from './fetch-of.ts';

/**
 * The HTTP client for every URL that people, models or third-party servers name. It connects to public addresses only, never to
 * this machine's own, and over https only; the owner's networks are exempt from both. It uses no proxy from the environment.
 */
export interface Outbound {
  /** Sends a request; the caller reads or discards the streaming body. @throws OutboundError, and the signal's reason. */
  request(request: OutboundRequest): Promise<GuardedResponse>;
  /** Sends a request and reads the body, cut at `maxBytes`; `timeoutMs` covers both. @throws as `request` */
  fetch(request: OutboundRequest & { readonly maxBytes: number }): Promise<GuardedAnswer>;
  /** Returns a bounded `fetch` for libraries. It rejects with what `request` throws. */
  fetchWith(limits: FetchLimits): typeof globalThis.fetch;
  /** Closes kept-alive connections. */
  close(): void;
}

export interface OutboundOptions {
  /** The owner's own networks, such as `10.1.0.0/16`: reachable too, also without TLS. */
  readonly allowedNetworks?: readonly string[];
}

/** Replaced by tests. */
export interface OutboundDeps {
  readonly clock?: Clock;
  /** Returns the addresses of a host name; asks the machine's resolver by default. */
  resolveHost?(host: string): Promise<readonly string[]>;
  /** Returns headers for requests into the owner's networks, and for no others: the trace. */
  ownerHeaders?(): Readonly<Record<string, string>>;
}

/** Lower ports are for mail, directories and remote shells; only web ports among them are allowed. */
const FIRST_FREE_PORT = 1_024;
const WEB_PORTS: readonly string[] = ['', '80', '443'];

/**
 * Creates the client. Keep-alive connections belong to it: close it when done.
 * @throws RangeError naming a network that can't be parsed.
 */
export function createOutbound(
  { allowedNetworks = [] }: OutboundOptions = {},
  { clock, resolveHost = lookUp, ownerHeaders }: OutboundDeps = {},
): Outbound {
  const isNamed = createNetworkList(allowedNetworks);
  const connections = createGuardedConnections();
  const request: Outbound['request'] = ({ isHttpAllowed = false, ownerBody, ...options }) =>
    guardedRequest({
      ...options,
      ...(clock && { clock }),
      protocols: ['http:', 'https:'],
      resolve: resolveHost,
      isAllowed(address, url) {
        if (isNamed(address)) return true;
        if (!isPublicAddress(address) || isOwnAddress(address)) return false;
        if (url.protocol === 'http:' && !isHttpAllowed) {
          throw new OutboundError('refused', `${url.host} is only requested over https://.`);
        }
        if (!WEB_PORTS.includes(url.port) && Number(url.port) < FIRST_FREE_PORT) {
          throw new OutboundError('refused', `Port ${url.port} is not allowed: it is not a web API port.`);
        }
        return true;
      },
      ...(ownerHeaders && { headersFor: (address) => (isNamed(address) ? ownerHeaders() : {}) }),
      ...(ownerBody && { bodyFor: (address) => (isNamed(address) ? ownerBody() : undefined) }),
      connections,
    });
  return {
    request,
    async fetch({ maxBytes, ...options }) {
      const { body, ...answer } = await request({ ...options, totalMs: options.timeoutMs });
      const cut = await readUpTo(decodeBody(answer.headers['content-encoding'], body), maxBytes);
      return { url: answer.url, status: answer.status, headers: answer.headers, ...cut };
    },
    fetchWith: (limits) => fetchOf(request, limits),
    close: connections.close,
  };
}

async function lookUp(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** Every address. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];

/**
 * Creates a client for a service that the owner configured, at any address, also on this machine and without TLS. Use it only for
 * URLs from the owner, and don't follow redirects.
 */
export function createOwnerOutbound(processContext: OutboundDeps = {}): Outbound {
  return createOutbound({ allowedNetworks: ANYWHERE }, processContext);
}
