import type { User } from '@berth/agent-core';
import type { GrantScope } from '@berth/contract/agent';
import type { OAuthClient, Provider } from './provider.ts';

/** An authorization that waits for its callback. All of it is stored sealed. */
export interface PendingAuthorization {
  readonly connector: string;
  readonly scope: GrantScope;
  /** The user who started it. The credential becomes this user's, whoever opens the callback. */
  readonly user: User;
  /** The workspace in which it was started. */
  readonly workspaceId: string;
  readonly provider: Provider;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  /** PKCE code verifier. Source: RFC 7636. */
  readonly verifier: string;
  /** SHA-256 of the cookie of the browser that started it. */
  readonly browserHash: string;
}
