import { domainToASCII } from 'node:url';

/** A domain in its canonical form, or why it is invalid. */
export type ParsedDomain =
  | { readonly domain: string; readonly problem?: undefined }
  | { readonly domain?: undefined; readonly problem: string };

/** Characters of a host name in wire form without the final dot. Source: RFC 1035 2.3.4. */
const MAX_LENGTH = 253;
/** Longer input is rejected unread. */
const MAX_INPUT_LENGTH = 1_000;

/** Two or more labels; the last one does not look like a number. Source: RFC 1123 2.1, URL Standard "ends in a number". */
const HOST_NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$|0x[0-9a-f]*$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Reserved top-level domains, which resolve nowhere or to the machine itself. Source: RFC 6761, RFC 3172, RFC 7686. */
const SPECIAL_TOP_LABELS: readonly string[] = ['localhost', 'invalid', 'arpa', 'onion'];

/**
 * Parses a domain as people write it: any case, with a final dot, internationalized.
 * @param ownDomains lower-case domains of the platform; they and their subdomains can't be claimed.
 */
export function parseDomain(text: string, ownDomains: readonly string[]): ParsedDomain {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'The domain is empty.' };
  if (trimmed.startsWith('*.')) return { problem: 'Wildcard domains are not supported. Add each domain separately.' };
  // Conversion to ASCII would silently drop or change these: schemes, ports, paths, percent signs.
  if (trimmed.length > MAX_INPUT_LENGTH || /[^a-zA-Z0-9.\-\u0080-\u{10ffff}]/u.test(trimmed)) return notAHost;
  const ascii = domainToASCII(trimmed);
  const domain = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  if (domain.length > MAX_LENGTH)
    return { problem: `The domain has ${domain.length} characters; ${MAX_LENGTH} are allowed.` };
  if (!HOST_NAME.test(domain)) return notAHost;
  const topLabel = domain.slice(domain.lastIndexOf('.') + 1);
  if (SPECIAL_TOP_LABELS.includes(topLabel)) return { problem: `A domain under .${topLabel} can't be added.` };
  const own = ownDomains.find((one) => domain === one || domain.endsWith(`.${one}`));
  if (own !== undefined) return { problem: `${own} and its subdomains belong to the platform.` };
  return { domain };
}

const notAHost: ParsedDomain = {
  problem: 'Use a host name such as shop.example.com, without scheme, port, path or IP address.',
};
