import { plainAddress } from '@berth/kit/node';

/** The client's IP as text: an IPv4 address that came in over an IPv6 socket is shown as IPv4. Empty when it is gone. */
export function clientAddress(remoteAddress: string | undefined): string {
  return remoteAddress === undefined ? '' : plainAddress(remoteAddress);
}

/** The same as a node of `Forwarded` (RFC 7239 section 6): IPv6 in brackets and quotes. */
export function forwardedNode(address: string): string {
  if (address === '') return 'unknown';
  return address.includes(':') ? `"[${address}]"` : address;
}
