// The library's decorators need it before anything else.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

/** Options of {@link makeCertificate}. */
export interface TestCertificateOptions {
  readonly names: readonly string[];
  readonly ips?: readonly string[];
  /** Validity in epoch milliseconds; by default from a day ago to a day from now. */
  readonly notBeforeMs?: number;
  readonly notAfterMs?: number;
}

/** A certificate and its key, PEM. */
export interface TestCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** Creates a self-signed certificate with a new key. */
export async function makeCertificate(options: TestCertificateOptions): Promise<TestCertificate> {
  const { names, ips = [], notBeforeMs = Date.now() - DAY_MS, notAfterMs = Date.now() + DAY_MS } = options;
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: Buffer.from(crypto.getRandomValues(new Uint8Array(8)).fill(1, 0, 1)).toString('hex'),
    name: `CN=${names[0] ?? 'test'}`,
    notBefore: new Date(notBeforeMs),
    notAfter: new Date(notAfterMs),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns', value }) as const),
        ...ips.map((value) => ({ type: 'ip', value }) as const),
      ]),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const keyPem = `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`;
  return { certPem: `${certificate.toString('pem')}\n`, keyPem };
}
