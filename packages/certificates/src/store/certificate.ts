import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { createError } from '@berth/contract/errors';

/** A certificate with its key, ready to serve. */
export interface Certificate {
  /** PEM: the leaf, followed by the chain. */
  readonly certPem: string;
  readonly keyPem: string;
  /** Host names the certificate is valid for, lower case. A leading `*.` stands for one label. */
  readonly names: readonly string[];
  /** Start of validity; epoch milliseconds, wall clock. */
  readonly notBeforeMs: number;
  /** End of validity; epoch milliseconds, wall clock. */
  readonly notAfterMs: number;
  /** The issuer's distinguished name, on one line. */
  readonly issuer: string;
  /** SHA-256 fingerprint of the leaf, in hex with colons. */
  readonly fingerprint: string;
  readonly context: SecureContext;
}

/** The minimum TLS version. RFC 8996 deprecates older versions. */
export const MIN_TLS_VERSION = 'TLSv1.2';

/**
 * Parses a certificate and its key from PEM.
 * @throws `invalid` that names the problem and never contains a part of the key.
 */
export function readCertificate(certPem: string, keyPem: string): Certificate {
  const leaf = attempt('the certificate cannot be read', () => new X509Certificate(certPem));
  const key = attempt('the key cannot be read', () => readKey(keyPem));
  if (!leaf.checkPrivateKey(key)) {
    throw createError('invalid', 'the key does not belong to the first certificate of the file');
  }
  return {
    certPem,
    keyPem,
    names: subjectNames(leaf.subjectAltName),
    notBeforeMs: leaf.validFromDate.getTime(),
    notAfterMs: leaf.validToDate.getTime(),
    issuer: leaf.issuer.replaceAll('\n', ', '),
    fingerprint: leaf.fingerprint256,
    context: attempt('they cannot be served', () =>
      createSecureContext({ cert: certPem, key: keyPem, minVersion: MIN_TLS_VERSION }),
    ),
  };
}

function readKey(keyPem: string): KeyObject {
  if (keyPem.includes('ENCRYPTED')) throw new Error('it is encrypted; use a key without a passphrase');
  return createPrivateKey(keyPem);
}

function attempt<Value>(what: string, work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw createError('invalid', `${what}: ${describeReason(cause)}`, { cause });
  }
}

/** Returns an error's message on one line, without the stack, for use in sentences. */
export function describeReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').slice(0, 500);
}

/** A host name as in certificates, with `*` allowed as the first label. Source: RFC 6125 6.4.3. */
const DNS_NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Returns the distinct DNS names in `subjectAltName`, the text that Node makes of the extension, in lower case. Node
 * writes values with special characters as JSON strings, so a comma inside another value can't inject a name. Names
 * that aren't valid host names are skipped.
 */
export function subjectNames(subjectAltName: string | undefined): string[] {
  const names = new Set<string>();
  for (const [, kind, quoted, plain] of (subjectAltName ?? '').matchAll(ENTRY)) {
    if (kind !== 'DNS') continue;
    const name = (quoted === undefined ? (plain ?? '') : unquote(quoted)).toLowerCase();
    if (DNS_NAME.test(name)) names.add(name);
  }
  return [...names];
}

/** One entry, `kind:"JSON"` or `kind:value`, up to the comma that ends it. */
const ENTRY = /\s*([^:,"]+):(?:("(?:[^"\\]|\\.)*")[^,]*|([^,]*))(?:,|$)/g;

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return '';
  }
}
