import { randomBytes } from 'node:crypto';
import { DOMAIN_PROOF_PREFIX, type DomainProof } from '@berth/contract';

/** The label under which a domain's TXT record lies: set off, so that the domain itself may be a CNAME. */
const TXT_LABEL = '_berth';

/** 192 bits: nobody guesses another account's. */
const RANDOM_BYTES = 24;

const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/**
 * A fresh proof. What is published is not what is asked for: a server that shows every visitor the path they asked for
 * must not prove a thing.
 */
export function createProof(): { readonly token: string; readonly proof: string } {
  const random = () => randomBytes(RANDOM_BYTES).toString('base64url');
  return { token: random(), proof: `berth-domain-proof=${random()}` };
}

/** The token in a path, or undefined for any other path. */
export function tokenOfPath(pathname: string): string | undefined {
  if (!pathname.startsWith(DOMAIN_PROOF_PREFIX)) return undefined;
  const token = pathname.slice(DOMAIN_PROOF_PREFIX.length);
  return TOKEN.test(token) ? token : undefined;
}

/** How a proof is published, in words of the API. `httpPort` is left out of the URL when it is 80. */
export function describeProof(domain: string, token: string, proof: string, httpPort: number): DomainProof {
  const origin = `http://${domain}${httpPort === 80 ? '' : `:${httpPort}`}`;
  return {
    txt: { name: `${TXT_LABEL}.${domain}`, value: proof },
    http: { url: origin + DOMAIN_PROOF_PREFIX + token, body: proof },
  };
}
