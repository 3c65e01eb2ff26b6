import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 24;
const ID_CHARACTERS = 16;

/** Returns a new share token: 192 random bits in base64url. */
export function createShareToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the form in which a token is stored: its SHA-256 in hexadecimal. */
export function hashShareToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Returns the `{user}` of a share's address. It tells nothing of the sharer, and shares of one person have different ones. */
export function shareAddressUser(token: string): string {
  return createHash('sha256').update(`address ${token}`).digest('hex').slice(0, ID_CHARACTERS);
}

/** Returns the id of a share, which names it to its owner and names its folder. The id gives no access. */
export function shareId(tokenHash: string): string {
  return tokenHash.slice(0, ID_CHARACTERS);
}
