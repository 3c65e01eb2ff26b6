import { lookup } from 'node:dns/promises';
import { createAddressRule, type GuardedAnswer, guardedFetch } from '@berth/kit/node';

export interface OutboundRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

/** The one way out for what people and models name: never to an address that is not public. */
export interface Outbound {
  /** @throws Error with a sentence that says nothing of the network inside; the signal's reason. */
  fetch(request: OutboundRequest): Promise<GuardedAnswer>;
}

export interface OutboundOptions {
  /** The owner's own networks, such as `10.1.0.0/16`, which may be asked besides. */
  readonly allowedNetworks?: readonly string[];
}

/** @throws RangeError that names the network that is none. */
export function createOutbound({ allowedNetworks = [] }: OutboundOptions = {}): Outbound {
  const isAllowed = createAddressRule(allowedNetworks);
  const resolve = async (host: string) => {
    try {
      return (await lookup(host, { all: true })).map(({ address }) => address);
    } catch {
      return [];
    }
  };
  return { fetch: (request) => guardedFetch({ ...request, protocols: ['http:', 'https:'], resolve, isAllowed }) };
}
