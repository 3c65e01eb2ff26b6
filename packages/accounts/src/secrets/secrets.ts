import { createHash, randomBytes } from 'node:crypto';

/** Marks a Berth key, so that secret scanners and people recognise one. */
const PREFIX = 'berth_';

/** How much of a secret is kept to tell keys apart: the prefix and 24 bits of at least 256, or of a chosen secret less. */
const START_LENGTH = 10;

/** Returns 43 URL-safe characters: 256 bits from a cryptographic source. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the secret of a new API key: `berth_` and a {@link createSecret}. */
export function createKeySecret(): string {
  return PREFIX + createSecret();
}

/** SHA-256 in lower-case hex. No salt or stretching: what is hashed has too many bits to be guessed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The part of a key's secret that may be shown: of one that the operator chose, a quarter of the least length. */
export function startOfSecret(secret: string): string {
  return secret.slice(0, secret.startsWith(PREFIX) ? START_LENGTH : START_LENGTH - 2);
}

/** The shortest secret that an operator may choose, in characters. Source: the environment variable's documentation. */
export const CHOSEN_SECRET_MIN_LENGTH = 32;

/** Why `secret` can't be a key, as a sentence; undefined when it can: 32 to 512 printable ASCII characters without spaces. */
export function chosenSecretProblem(secret: string): string | undefined {
  if (secret.length < CHOSEN_SECRET_MIN_LENGTH) {
    return `The key has ${secret.length} characters; ${CHOSEN_SECRET_MIN_LENGTH} is the least.`;
  }
  if (secret.length > 512) return `The key has ${secret.length} characters; 512 is the most.`;
  // Anything else does not survive an HTTP header unchanged.
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'The key has spaces or characters that are not ASCII.';
  return undefined;
}
