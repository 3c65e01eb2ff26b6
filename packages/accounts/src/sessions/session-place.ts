import { clientAddress } from '@berth/http';
import { plainAddress } from '@berth/kit/node';
import { chooseMailLanguage, type MailLanguage } from '@berth/mail';
import type { ApiContext } from '../http/api.ts';

/** The origin of a session, shown in the person's list of sessions. */
export interface SessionPlace {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  /** The language of the page, for e-mails to the person. */
  readonly language?: MailLanguage | undefined;
}

/** Returns the address and user agent of a request. */
export function sessionPlace(c: ApiContext): SessionPlace {
  return {
    address: clientAddress(c),
    userAgent: c.req.header('user-agent'),
    language: chooseMailLanguage(c.req.header('accept-language')),
  };
}

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address: one customer owns all addresses that share them. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':').map((group) => group.replace(/^0+(?=.)/, '').toLowerCase());
  if (tail === undefined) return groups.slice(0, 4).join(':');
  const rest = tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(8 - groups.length - rest.length, 0) }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
