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
import { type FetchLimits, fetchOf } from './fetch-of.ts';
import type { OutboundRequest } from './outbound-request.ts';

/**
 * The one way out for what people, models and other people's servers name. Never to an address that is not public or is this
 * machine's own, but for the owner's own networks; over https, but to those; not through a proxy of the environment.
 */
export interface Outbound {
  /** An answer that streams; read its body or discard it. @throws OutboundError, and the signal's reason. */
  request(request: OutboundRequest): Promise<GuardedResponse>;
  /** An answer that is short: what is longer than `maxBytes` is cut, `timeoutMs` is for all of it. @throws as `request` */
  fetch(request: OutboundRequest & { readonly maxBytes: number }): Promise<GuardedAnswer>;
  /** For libraries that want a `fetch`: one with bounds. It rejects with what `request` throws. */
  fetchWith(limits: FetchLimits): typeof globalThis.fetch;
  /** Closes the connections that are kept open. */
  close(): void;
}

export interface OutboundOptions {
  /** The owner's own networks, such as `10.1.0.0/16`, which may be asked besides, and without TLS. */
  readonly allowedNetworks?: readonly string[];
}

/** What tests hand over. */
export interface OutboundDeps {
  readonly clock?: Clock;
  /** The addresses of a host name; the machine's own resolver by default. */
  resolveHost?(host: string): Promise<readonly string[]>;
}

/** Mail, directories, remote shells: what listens below on a public address is no API. */
const FIRST_FREE_PORT = 1_024;
const WEB_PORTS: readonly string[] = ['', '80', '443'];

/** @throws RangeError that names the network that is none. */
export function createOutbound(
  { allowedNetworks = [] }: OutboundOptions = {},
  { clock, resolveHost = lookUp }: OutboundDeps = {},
): Outbound {
  const isNamed = createNetworkList(allowedNetworks);
  const connections = createGuardedConnections();
  const request: Outbound['request'] = ({ isHttpAllowed = false, ...options }) =>
    guardedRequest({
      ...options,
      ...(clock && { clock }),
      protocols: ['http:', 'https:'],
      resolve: resolveHost,
      isAllowed(address, url) {
        if (isNamed(address)) return true;
        if (!isPublicAddress(address) || isOwnAddress(address)) return false;
        if (url.protocol === 'http:' && !isHttpAllowed) {
          throw new OutboundError('refused', `${url.host} is only asked over https://.`);
        }
        if (!WEB_PORTS.includes(url.port) && Number(url.port) < FIRST_FREE_PORT) {
          throw new OutboundError('refused', `Port ${url.port} is not asked: it is for no API of the web.`);
        }
        return true;
      },
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
