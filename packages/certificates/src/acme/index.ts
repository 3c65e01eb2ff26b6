export type { AccountText } from './acme-account.ts';
export type { ChallengeAnswers, ChallengeResponses } from './challenge-responses.ts';
export type { ExternalAccount } from './connect-acme.ts';
export { type Acme, type AcmeNameStatus, type AcmeOptions, createAcme } from './create-acme.ts';
