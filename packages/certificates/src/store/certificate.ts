import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { createError } from '@berth/contract/errors';
import { describeReason } from './describe-reason.ts';
import { subjectNames } from './subject-names.ts';

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
  const leaf = attempt('the certificate can not be read', () => new X509Certificate(certPem));
  const key = attempt('the key can not be read', () => readKey(keyPem));
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
    context: attempt('they can not be served', () =>
      createSecureContext({ cert: certPem, key: keyPem, minVersion: MIN_TLS_VERSION }),
    ),
  };
}

function readKey(keyPem: string): KeyObject {
  if (keyPem.includes('ENCRYPTED')) throw new Error('it is encrypted; give one without a passphrase');
  return createPrivateKey(keyPem);
}

function attempt<Value>(what: string, work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw createError('invalid', `${what}: ${describeReason(cause)}`, { cause });
  }
}
