import type { Role, Scope } from '@berth/contract';
import type { AccountId } from '@berth/kit';

/** Who a request comes from, after its credential was checked. */
export interface Principal {
  readonly kind: 'key' | 'session';
  /** Everything the request reads or writes belongs to this account. */
  readonly accountId: AccountId;
  /** The person; absent for a key that no person made. */
  readonly userId?: string;
  /** The key that was sent; absent for a session. */
  readonly keyId?: string;
  /** The session that was sent; absent for a key. */
  readonly sessionId?: string;
  /** What the person is in the account; absent for a key that no person made, which may do what its scopes say. */
  readonly role?: Role;
  readonly scopes: readonly Scope[];
  /** True for the account of the operator, which may make other accounts. */
  readonly isOperator: boolean;
}
