import type { User } from '@berth/agent-core';
import type { GrantScope } from '@berth/contract/agent';
import type { OAuthClient, Provider } from './provider.ts';

/** A consent that was asked for and has not come back. All of it is sealed where it is kept. */
export interface PendingAuthorization {
  readonly connector: string;
  readonly scope: GrantScope;
  /** Who asked; what comes back is theirs, whoever brings it. */
  readonly user: User;
  /** The workspace that they asked in. */
  readonly workspaceId: string;
  readonly provider: Provider;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  /** Proof that who asked and who exchanges are one. Source: RFC 7636. */
  readonly verifier: string;
  /** SHA-256 of the cookie of the browser that asked. */
  readonly browserHash: string;
}
