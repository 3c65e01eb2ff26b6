import { randomBytes } from 'node:crypto';

/** What a browser or an agent's page holds: 256 bits, URL-safe. Only its SHA-256 is stored. */
export function createIdentitySecret(): string {
  return randomBytes(32).toString('base64url');
}
