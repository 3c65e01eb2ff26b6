import { createError } from '@berth/contract';
import type { Principal } from './principal.ts';

/**
 * Returns the signed-in person, for operations on a person rather than an account: no key may do them, whatever its scopes.
 * @throws `forbidden`
 */
export function requirePerson({ kind, userId }: Pick<Principal, 'kind' | 'userId'>): string {
  if (kind === 'session' && userId !== undefined) return userId;
  throw createError('forbidden', 'Only a person who is signed in may do this: sign in, and send no API key.');
}
