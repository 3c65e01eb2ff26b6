import { randomBytes } from 'node:crypto';

/** Creates a key of an agent's key ring as `id:base64`: 32 random bytes and a unique id. */
export function makeAgentKey(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
}
