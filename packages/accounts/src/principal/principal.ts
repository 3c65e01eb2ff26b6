import type { Role, Scope } from '@berth/contract';
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
