import { createHash, randomBytes } from 'node:crypto';

/** The prefix of API keys, so that secret scanners and people recognize them. */
const PREFIX = 'berth_';

/** Characters of a secret that are stored to tell keys apart: the prefix and 24 of at least 256 bits. */
const START_LENGTH = 10;

/** Returns 43 URL-safe characters: 256 bits from a cryptographic source. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the secret of a new API key: `berth_` and a {@link createSecret}. */
export function createKeySecret(): string {
  return PREFIX + createSecret();
}

/** Returns the SHA-256 of a secret in lower-case hex. Unsalted and fast: a secret has too many bits to be guessed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Returns the part of a key's secret that may be shown; for a secret chosen by the operator, a quarter of the minimum length. */
export function startOfSecret(secret: string): string {
  return secret.slice(0, secret.startsWith(PREFIX) ? START_LENGTH : START_LENGTH - 2);
}

/** The shortest secret that an operator may choose, in characters. Source: the environment variable's documentation. */
export const CHOSEN_SECRET_MIN_LENGTH = 32;

/** Returns why `secret` can't be a key, as a sentence; undefined when it has 32 to 512 printable ASCII characters without spaces. */
export function chosenSecretProblem(secret: string): string | undefined {
  if (secret.length < CHOSEN_SECRET_MIN_LENGTH) {
    return `The key has ${secret.length} characters; ${CHOSEN_SECRET_MIN_LENGTH} is the least.`;
  }
  if (secret.length > 512) return `The key has ${secret.length} characters; 512 is the most.`;
  // Other characters don't survive an HTTP header unchanged.
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'The key has spaces or characters that are not ASCII.';
  return undefined;
}
