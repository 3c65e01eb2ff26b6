export { ACME_CHALLENGE_PREFIX } from './acme/challenge-responses.ts';
export type { CertificatePaths } from './store/certificate-file.ts';
export type { NewCertificate } from './store/certificate-folder.ts';
export {
  type CertificateInfo,
  type Certificates,
  type CertificatesOptions,
  type CertificateTlsOptions,
  createCertificates,
  type TlsServer,
} from './store/create-certificates.ts';
