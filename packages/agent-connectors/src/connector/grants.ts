import type { OwnerKey } from '@berth/agent-store';
import type { GrantScope } from '@berth/contract/agent';
import type { ConnectorCaller } from './caller.ts';
import type { Connector } from './connector.ts';

/** The credentials of connectors, as calls use them. */
export interface Grants {
  /**
   * Returns the credential for a call by this user: the user's own first, then the workspace's, as the connector's
   * scope allows. A credential close to its expiry is renewed first. Undefined: not connected, or has to be connected
   * again. A connector without authentication always has a grant. Doesn't check whether the connector is allowed or on:
   * `ConnectorDirectory` does.
   * @throws `unavailable` when the credential has to be renewed and the provider can't be reached; the credential is
   * kept.
   */
  open(caller: ConnectorCaller, connector: Connector): Promise<Grant | undefined>;
  /**
   * Stores a credential, replacing the previous one.
   * @throws `forbidden` for the workspace's credential when the caller may not manage the workspace; `bad_request` for
   * a scope that the connector doesn't have.
   */
  put(caller: ConnectorCaller, connector: Connector, scope: GrantScope, credential: Credential): Promise<void>;
  /** Returns the owner of credentials of that scope. @throws as `put`. */
  ownerOf(caller: ConnectorCaller, connector: Connector, scope: GrantScope): OwnerKey;
  /**
   * Deletes the credential and revokes it at the provider on a best-effort basis. Succeeds when there is none.
   * @throws `forbidden` as `put`.
   */
  remove(caller: ConnectorCaller, connector: Connector, scope: GrantScope): Promise<void>;
  /**
   * Handles a 401 response to a call with `grant` by renewing the credential once. Returns the new grant, to be tried
   * once. Undefined: the credential is rejected, and the user has to connect again.
   */
  reportRejected(connector: Connector, grant: Grant): Promise<Grant | undefined>;
}

/** A credential in use. It holds the secret and attaches it to requests to the connector's own hosts only. */
export interface Grant {
  readonly scope: GrantScope;
  /**
   * Owner of the credential: `person` or the workspace's key. Together with `version` it identifies data read with this
   * credential, e.g. a tool list.
   */
  readonly owner: OwnerKey;
  /** Changes with each change of the credential. */
  readonly version: string;
  /** Base URL that the user gave, instead of the API's own. Ends in `/`. */
  readonly endpoint?: string;
  /**
   * Attaches the credential to a request, in its headers or its query.
   * @throws Error when `url` is not on one of the connector's origins.
   */
  authorize(url: URL, headers: Headers): void;
  /**
   * The secret in the encodings in which a server may echo it: plain, query, JSON and base64. Longest first, none
   * shorter than 8 characters; for masking.
   */
  readonly secrets: readonly string[];
  /** Removes the secrets from a server's text before models, streams or logs see it. */
  scrub(text: string): string;
}

/** A credential of a connector. */
export type Credential = KeyCredential | OAuthCredential;

/** An API key that a user pasted. */
export interface KeyCredential {
  readonly type: 'key';
  readonly key: string;
  /** Base URL that the user gave; ends in `/`. */
  readonly endpoint?: string;
}

/** The tokens that an OAuth provider issued. */
export interface OAuthCredential {
  readonly type: 'oauth';
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Expiry in milliseconds since the epoch; undefined when the provider doesn't say. */
  readonly expiresAtMs?: number;
  /**
   * Time from which the credential is renewed before use: 60 s before its expiry, or half of its lifetime if that is
   * shorter. Undefined when it doesn't expire.
   */
  readonly renewAtMs?: number;
  /** Data for renewing and revoking, as JSON; sealed with the rest. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A stored credential, decrypted. */
export interface HeldCredential {
  readonly owner: OwnerKey;
  readonly connector: string;
  readonly version: string;
  readonly credential: Credential;
  /** The provider rejected the credential: it counts as not connected. */
  readonly isRejected: boolean;
}

/** Renewal and revocation of OAuth tokens. */
export interface GrantRenewal {
  /**
   * Returns a working credential: renewed now, or renewed by another instance in the meantime. Undefined when the
   * provider rejects it (it is then marked as rejected) or when it was disconnected.
   * @throws `unavailable` when the provider can't be reached.
   */
  renew(held: HeldCredential, connector: Connector): Promise<HeldCredential | undefined>;
  /** Revokes the tokens at the provider on a best-effort basis, in bounded time. Never throws. */
  revoke(held: HeldCredential, connector: Connector): Promise<void>;
}
