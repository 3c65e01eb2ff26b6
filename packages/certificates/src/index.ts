export { ACME_CHALLENGE_PREFIX, type ChallengeResponses } from './acme/challenge-responses.ts';
export type { ExternalAccount } from './acme/connect-acme.ts';
export { type Acme, type AcmeNameStatus, type AcmeOptions, createAcme } from './acme/create-acme.ts';
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
