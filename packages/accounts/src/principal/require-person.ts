import { createError } from '@berth/contract';
import type { Principal } from './principal.ts';

/**
 * The person who is signed in. For what concerns a person rather than an account: no key may do it, whatever its scopes.
 * @throws `forbidden`
 */
export function requirePerson({ kind, userId }: Pick<Principal, 'kind' | 'userId'>): string {
  if (kind === 'session' && userId !== undefined) return userId;
  throw createError('forbidden', 'Only a person who is signed in may do this: sign in, and send no API key.');
}
