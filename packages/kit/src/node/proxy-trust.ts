import { isIP } from 'node:net';
import { createNetworkList, plainAddress } from './network-list.ts';

/** The operator's trusted proxies, whose `X-Forwarded-For` headers are believed. */
export interface ProxyTrust {
  /** Reports whether `peer`, the address at the other end of the socket, is a trusted proxy. */
  isTrusted(peer: string): boolean;
  /**
   * Returns the client address of a request: the peer's address or, if the peer is a trusted proxy, the last address in
   * `X-Forwarded-For` that isn't a trusted proxy. Earlier entries come from an untrusted sender and are ignored.
   * Entries may have a port, and IPv6 entries may have brackets.
   */
  clientOf(peer: string, forwardedFor: string | undefined): string;
}

/**
 * Creates the set of trusted proxies.
 * @param networks in CIDR notation, such as `10.0.0.0/8`; an empty list trusts no proxy.
 * @throws RangeError that names the invalid network.
 */
export function createProxyTrust(networks: readonly string[]): ProxyTrust {
  const isTrusted = createNetworkList(networks);
  return {
    isTrusted,
    clientOf(peer, forwardedFor) {
      let client = plainAddress(peer);
      if (forwardedFor === undefined || !isTrusted(client)) return client;
      const entries = forwardedFor.split(',');
      for (let index = entries.length - 1; index >= 0 && isTrusted(client); index--) {
        const address = readEntry(entries[index] as string);
        // The proxy doesn't know the client's address or hides it, so the last known address stands for the client.
        if (address === undefined) return client;
        client = address;
      }
      return client;
    },
  };
}

/** Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`; returns undefined for anything else. */
function readEntry(entry: string): string | undefined {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const address = plainAddress(bracketed ?? (isIP(text) === 0 ? text.replace(/:\d+$/, '') : text));
  return isIP(address) === 0 ? undefined : address;
}
