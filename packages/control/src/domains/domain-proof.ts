import { randomBytes } from 'node:crypto';
import { DOMAIN_PROOF_PREFIX, type DomainProof } from '@berth/contract';

/** The label of a domain's TXT record. It is separate so that the domain itself may be a CNAME. */
const TXT_LABEL = '_berth';

/** 192 bits, so that no account guesses another's. */
const RANDOM_BYTES = 24;

const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/**
 * Returns a new proof. The published value differs from the requested path: a server that echoes every requested path
 * must not verify a domain.
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

/** Returns how to publish a proof, in the API's shape. The URL omits `httpPort` when it is 80. */
export function describeProof(domain: string, token: string, proof: string, httpPort: number): DomainProof {
  const origin = `http://${domain}${httpPort === 80 ? '' : `:${httpPort}`}`;
  return {
    txt: { name: `${TXT_LABEL}.${domain}`, value: proof },
    http: { url: origin + DOMAIN_PROOF_PREFIX + token, body: proof },
  };
}
