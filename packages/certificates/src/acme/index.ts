export type { ChallengeResponses } from './challenge-responses.ts';
export type { ExternalAccount } from './connect-acme.ts';
export { type Acme, type AcmeNameStatus, type AcmeOptions, createAcme } from './create-acme.ts';
