export { ACME_CHALLENGE_PREFIX } from './acme/challenge-responses.ts';
export type { CertificatePaths } from './certificate-file.ts';
export type { NewCertificate } from './certificate-folder.ts';
export {
  type CertificateInfo,
  type Certificates,
  type CertificatesOptions,
  type CertificateTlsOptions,
  createCertificates,
  type TlsServer,
} from './create-certificates.ts';
