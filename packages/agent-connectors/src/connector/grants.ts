import type { OwnerKey } from '@berth/agent-store';
import type { GrantScope } from '@berth/contract/agent';
import type { ConnectorCaller } from './caller.ts';
import type { Connector } from './connector.ts';

/** What calls of connectors are authorised with. */
export interface Grants {
  /**
   * What a call of this person uses now: the person's own first, then the workspace's, as the connector's scope allows. It is
   * renewed when it is near its end. Undefined: not connected, or to be connected again. A connector without auth always has
   * one. Nothing is said about whether the connector is on or allowed: `ConnectorDirectory` does.
   * @throws `unavailable` when it has to be renewed and the provider can't be reached; it is still there.
   */
  open(caller: ConnectorCaller, connector: Connector): Promise<Grant | undefined>;
  /**
   * Keeps a new credential in place of the one there was.
   * @throws `forbidden` for a workspace's by somebody who may not manage it; `bad_request` for a scope the connector hasn't.
   */
  put(caller: ConnectorCaller, connector: Connector, scope: GrantScope, credential: Credential): Promise<void>;
  /** Who would own a credential of that scope. @throws as `put`. */
  ownerOf(caller: ConnectorCaller, connector: Connector, scope: GrantScope): OwnerKey;
  /**
   * Forgets it, and tells the provider as well as that goes. True also when there was none.
   * @throws `forbidden` as `put`.
   */
  remove(caller: ConnectorCaller, connector: Connector, scope: GrantScope): Promise<void>;
  /**
   * The far end answered 401 to a call with `grant`. It is renewed once; the new one is to be tried once. Undefined: from now on
   * it reads as "connect again".
   */
  reportRejected(connector: Connector, grant: Grant): Promise<Grant | undefined>;
}

/** A credential in use. It holds the secret, and gives it to nobody but the connector's own hosts. */
export interface Grant {
  readonly scope: GrantScope;
  /** Whose credential it is: `person` or the workspace's key. With `version` it names what was learnt with it, e.g. a list. */
  readonly owner: OwnerKey;
  /** Another one after each change of the credential. */
  readonly version: string;
  /** The address that the person gave, instead of the API's base address; ends in `/`. */
  readonly endpoint?: string;
  /**
   * Attaches the credential to a request, in its headers or in its query.
   * @throws Error when `url` is not of an origin of the connector's.
   */
  authorize(url: URL, headers: Headers): void;
  /** The secret as a far end may echo it: as it is, in a query, in JSON, in base64. Longest first, none under 8 letters; for masking. */
  readonly secrets: readonly string[];
  /** Takes the secrets out of a text of the far end's, for where models, streams and logs see it. */
  scrub(text: string): string;
}

export type Credential = KeyCredential | OAuthCredential;

export interface KeyCredential {
  readonly type: 'key';
  readonly key: string;
  /** Ends in `/`. */
  readonly endpoint?: string;
}

export interface OAuthCredential {
  readonly type: 'oauth';
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since the epoch; undefined when the provider did not say. */
  readonly expiresAtMs?: number;
  /** From then on it is renewed before it is used: 60 s before its end, or half of its life. Undefined when it does not end. */
  readonly renewAtMs?: number;
  /** What renewing and revoking need, as JSON; sealed with the rest. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A credential as it is kept, opened. */
export interface HeldCredential {
  readonly owner: OwnerKey;
  readonly connector: string;
  readonly version: string;
  readonly credential: Credential;
  /** The provider refuses it: reads as not connected. */
  readonly isRejected: boolean;
}

/** Where credentials are kept, sealed. What can't be opened reads as if it were not there. */
export interface CredentialVault {
  find(owner: OwnerKey, connector: string): Promise<HeldCredential | undefined>;
  put(owner: OwnerKey, connector: string, credential: Credential): Promise<HeldCredential>;
  /** Only if it is still `held`: undefined when somebody disconnected or connected anew meanwhile. */
  replace(held: HeldCredential, credential: Credential): Promise<HeldCredential | undefined>;
  /** Marks it, if it is still `held`. */
  markRejected(held: HeldCredential): Promise<void>;
  remove(owner: OwnerKey, connector: string): Promise<HeldCredential | undefined>;
  /**
   * Takes the right to renew it, across all instances, for `forMs` at most. False: somebody else has it, or it isn't there.
   * @param holder an id of whoever renews.
   */
  lease(owner: OwnerKey, connector: string, holder: string, forMs: number): Promise<boolean>;
  release(owner: OwnerKey, connector: string, holder: string): Promise<void>;
}

/** Renews and revokes what OAuth providers gave. */
export interface GrantRenewal {
  /**
   * A credential that works: renewed, or what somebody else renewed meanwhile. Undefined when the provider refuses (it is marked
   * as rejected then) or it was disconnected.
   * @throws `unavailable` when the provider can't be reached.
   */
  renew(held: HeldCredential, connector: Connector): Promise<HeldCredential | undefined>;
  /** As well as it goes, in bounded time. Never throws. */
  revoke(held: HeldCredential, connector: Connector): Promise<void>;
}
