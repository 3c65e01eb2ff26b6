import { createError, type Role, type Scope } from '@berth/contract';
import type { AccountId } from '@berth/kit';

/** The authenticated caller of a request. */
export interface Principal {
  readonly kind: 'key' | 'session';
  /** Everything the request reads or writes belongs to this account. */
  readonly accountId: AccountId;
  /** The person; absent for a key that no person created. */
  readonly userId?: string;
  /** The key that was sent; absent for a session. */
  readonly keyId?: string;
  /** The session that was sent; absent for a key. */
  readonly sessionId?: string;
  /** The person's role in the account; absent for a key that no person created, which is limited by its scopes alone. */
  readonly role?: Role;
  readonly scopes: readonly Scope[];
  /** True for the operator's account, which may create other accounts. */
  readonly isOperator: boolean;
}

/**
 * Returns the signed-in person, for operations on a person rather than an account: no key may do them, whatever its scopes.
 * @throws `forbidden`
 */
export function requirePerson({ kind, userId }: Pick<Principal, 'kind' | 'userId'>): string {
  if (kind === 'session' && userId !== undefined) return userId;
  throw createError('forbidden', 'Only a signed-in person can do this. Sign in instead of using an API key.');
}
