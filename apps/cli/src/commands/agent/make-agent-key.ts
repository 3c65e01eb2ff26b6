import { randomBytes } from 'node:crypto';

/** A key of an agent's ring as `id:base64`: 32 random bytes, under a name that no other key has. */
export function makeAgentKey(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
}
