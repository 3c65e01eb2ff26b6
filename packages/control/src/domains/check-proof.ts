import { lookup, Resolver } from 'node:dns/promises';
import { createError, type DomainProof, type VerifiedDomain } from '@berth/contract';
import { type AddressRule, createAddressRule, guardedFetch } from '@berth/outbound';

/** DNS lookups. */
export interface ProofResolver {
  /** Returns the TXT records of a name, each joined. @throws an error with a `code` of node:dns. */
  resolveTxt(name: string): Promise<readonly string[]>;
  /** Returns the IPv4 and IPv6 addresses of a host. @throws an error with a `code` of node:dns. */
  resolveAddresses(host: string): Promise<readonly string[]>;
}

/** Why a proof was not found; empty when one was. */
export type ProofProblems = VerifiedDomain['problems'];

export interface CheckProofOptions {
  readonly resolver: ProofResolver;
  readonly isAllowed: AddressRule;
}

/** Long enough for a slow name server, short enough for a person who waits. */
const HTTP_TIMEOUT_MS = 5_000;
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** Bytes read of an answer; a proof has 51 characters. */
const MAX_BODY_BYTES = 1_024;

/** Codes of node:dns for a name without records, as opposed to a failed lookup. */
const ABSENT_CODES: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

/** Uses the machine's resolvers. */
export function createProofResolver(): ProofResolver {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  return {
    resolveTxt: async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join('')),
    // Unlike the resolver, `lookup` reads the machine's hosts file.
    resolveAddresses: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  };
}

/** Checks both kinds of proof at once; one is enough. */
export async function checkProof(proof: DomainProof, options: CheckProofOptions): Promise<ProofProblems> {
  const [txt, http] = await Promise.all([checkTxt(proof.txt, options), checkHttp(proof.http, options)]);
  if (txt === undefined || http === undefined) return [];
  return [
    { method: 'txt', message: txt },
    { method: 'http', message: http },
  ];
}

async function checkTxt(
  { name, value }: DomainProof['txt'],
  { resolver }: CheckProofOptions,
): Promise<string | undefined> {
  try {
    const texts = await resolver.resolveTxt(name);
    if (texts.some((text) => text.trim() === value)) return undefined;
    return `${name} has ${texts.length} TXT records, but none has the expected value.`;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (ABSENT_CODES.includes(code)) return `${name} has no TXT record.`;
    return `DNS lookup failed for ${name} (${code}).`;
  }
}

async function checkHttp({ url, body }: DomainProof['http'], options: CheckProofOptions): Promise<string | undefined> {
  const { resolver, isAllowed } = options;
  try {
    const resolve = (host: string) => resolver.resolveAddresses(host).catch((error) => throwNoAddress(host, error));
    const answer = await guardedFetch({
      url,
      protocols: ['http:'],
      resolve,
      isAllowed,
      timeoutMs: HTTP_TIMEOUT_MS,
      maxBytes: MAX_BODY_BYTES,
    });
    if (answer.status >= 300 && answer.status < 400)
      return `${url} answered ${answer.status}; redirects are not followed.`;
    if (answer.status !== 200) return `${url} answered ${answer.status}.`;
    // The content of a wrong answer is not reported.
    return answer.body.toString('utf8').trim() === body ? undefined : `${url} returned a different body.`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function throwNoAddress(host: string, error: unknown): never {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  throw new Error(ABSENT_CODES.includes(code) ? `${host} has no address.` : `DNS lookup failed for ${host} (${code}).`);
}

/**
 * Returns the rule that allows public addresses and the operator's own networks.
 * @param networks such as `10.0.0.0/8` or `fd00::/8`.
 * @throws `invalid` naming the text that is not a network.
 */
export function readAddressRule(networks: readonly string[]): AddressRule {
  try {
    return createAddressRule(networks);
  } catch (error) {
    throw createError('invalid', (error as RangeError).message);
  }
}
