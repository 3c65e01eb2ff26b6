import { plainAddress } from '@berth/kit/node';

/** Returns the IP address of a client. An IPv4-mapped IPv6 address is returned as IPv4. Empty when the client has disconnected. */
export function clientAddress(remoteAddress: string | undefined): string {
  return remoteAddress === undefined ? '' : plainAddress(remoteAddress);
}

/** Formats an address as a node of `Forwarded` (RFC 7239 section 6): IPv6 in brackets and quotes, `unknown` when empty. */
export function forwardedNode(address: string): string {
  if (address === '') return 'unknown';
  return address.includes(':') ? `"[${address}]"` : address;
}
