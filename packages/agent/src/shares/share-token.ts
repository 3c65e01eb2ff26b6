import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 24;
const ID_CHARACTERS = 16;

/** A token that can't be guessed: 192 random bits in base64url. */
export function createShareToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is kept of a token: SHA-256, hexadecimal. */
export function hashShareToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Names a share to its owner, and its folder. Opens nothing. */
export function shareId(tokenHash: string): string {
  return tokenHash.slice(0, ID_CHARACTERS);
}
