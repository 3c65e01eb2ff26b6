import { isIP } from 'node:net';
import { createNetworkList, plainAddress } from './network-list.ts';

/** Knows which peers are proxies of the operator's, whose word on where a request came from is believed. */
export interface ProxyTrust {
  /** @param peer address at the other end of the socket. */
  isTrusted(peer: string): boolean;
  /**
   * The address a request came from: the peer's, or, where that is a trusted proxy, the last one in `X-Forwarded-For` that is none.
   * What stands before that one was sent by somebody who is not trusted. Entries may have ports, and IPv6 ones brackets.
   */
  clientOf(peer: string, forwardedFor: string | undefined): string;
}

/**
 * @param networks of the proxies, such as `10.0.0.0/8`; none: nobody is believed.
 * @throws RangeError that names the one that is no network.
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
        // A proxy that does not know, or hides it: the last one that is known stands for the client.
        if (address === undefined) return client;
        client = address;
      }
      return client;
    },
  };
}

/** `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`; undefined for all else. */
function readEntry(entry: string): string | undefined {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const address = plainAddress(bracketed ?? (isIP(text) === 0 ? text.replace(/:\d+$/, '') : text));
  return isIP(address) === 0 ? undefined : address;
}
