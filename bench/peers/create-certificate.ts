import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Files of a certificate for `localhost`, PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Both in one file, as HAProxy wants them. */
  readonly certAndKeyFile: string;
}

/** Creates a self-signed certificate (ECDSA, P-256) in `folder`. @throws Error without OpenSSL's command. */
export function createCertificate(folder: string): CertificateFiles {
  const [certFile, keyFile, certAndKeyFile] = ['cert.pem', 'key.pem', 'cert-and-key.pem'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,DNS:*.localhost,IP:127.0.0.1'];
  const words = ['req', '-x509', ...key, '-out', certFile, '-days', '30', ...names];
  const { status, stderr } = spawnSync('openssl', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`this benchmark needs openssl to make a certificate: ${stderr}`);
  writeFileSync(certAndKeyFile, readFileSync(certFile, 'utf8') + readFileSync(keyFile, 'utf8'));
  return { certFile, keyFile, certAndKeyFile };
}
