import { createHash, randomBytes } from 'node:crypto';
import { type Outbound, personalWorkspace, type User, type WorkspaceAccess } from '@berth/agent-core';
import { type AgentStores, memberKey, type OwnerKey, ownerKey } from '@berth/agent-store';
import type { GrantScope } from '@berth/contract/agent';
import type { Clock, Logger } from '@berth/kit';
import * as oauth from 'oauth4webapi';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector, OAuthAuth } from '../connector/connector.ts';
import type { Grants } from '../connector/grants.ts';
import type { SecretRing } from '../credentials/create-secret-ring.ts';
import type { Vault } from '../credentials/create-vault.ts';
import type { ConnectorDirectory } from '../directory/create-connector-directory.ts';
import { createClientChooser, forgetClient } from './choose-client.ts';
import { findProvider } from './find-provider.ts';
import { detailsOf, partyOf, toCredential } from './grant-details.ts';
import type { OAuthClient, Provider } from './provider.ts';
import { createProviderFetch, hostOf } from './provider-fetch.ts';
import { codeOf, createTokenEndpoint } from './token-endpoint.ts';
import type { WantedScopes } from './wanted-scopes.ts';

/** Dependencies of {@link createAuthorizations}. */
export interface AuthorizationsDeps {
  readonly directory: ConnectorDirectory;
  readonly grants: Grants;
  readonly vault: Vault;
  readonly secrets: SecretRing;
  readonly wantedScopes: WantedScopes;
  readonly stores: Pick<AgentStores, 'authorizations' | 'oauthClients'>;
  readonly registry: WorkspaceAccess | undefined;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly agentTitle: string;
}

/** The request to start an authorization. */
export interface BeginAuthorization {
  readonly caller: ConnectorCaller;
  readonly connector: Connector & { readonly auth: OAuthAuth };
  readonly scope: GrantScope;
  /** The agent's origin, and the redirect URI of dynamic registrations; see `AgentAddress`. */
  readonly origin: string;
  readonly registrationUri: string;
  /** Hash of the browser's mark; see `BrowserMark`. */
  readonly browserHash: string;
}

/** An authorization that waits for its callback. All of it is stored sealed. */
export interface PendingAuthorization {
  readonly connector: string;
  readonly scope: GrantScope;
  /** The user who started it. The credential becomes this user's, no matter who opens the callback. */
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

/** The reason why an authorization failed, as a sentence for the user. */
export class AuthorizationRefused extends Error {}

/**
 * OAuth authorizations of users. Invariants:
 * 1. A `state` is valid for one exchange, for 600 s, for the connector and the user that it was created for.
 * 2. A code is exchanged at the token endpoint, and as the client, that were chosen when the authorization started.
 * 3. Nothing from the provider's response is passed on.
 * Source: docs/contract/agent-api.md §8; RFC 6749 4.1; RFC 9700.
 */
export type Authorizations = ReturnType<typeof createAuthorizations>;

/** Source: docs/contract/agent-api.md §8. */
const LIFE_MS = 600_000;

/** Creates the authorizations of an agent. See {@link Authorizations}. */
export function createAuthorizations(deps: AuthorizationsDeps) {
  const { secrets, grants, directory, vault, wantedScopes, stores, registry, clock, logger } = deps;
  const ask = createProviderFetch(deps.outbound);
  const tokens = createTokenEndpoint(ask);
  const clients = createClientChooser({ ...deps, clients: stores.oauthClients, secrets, ask });
  const states = secrets.box('oauth state');
  const box = secrets.box('oauth authorization');

  const open = (stored: { readonly stateHash: string; readonly sealed: string } | undefined, connector: string) => {
    const text = stored && box.open(stored.sealed, [stored.stateHash]);
    if (text === undefined)
      throw new AuthorizationRefused('This sign-in has expired or was already used. Start again.');
    const pending = JSON.parse(text) as PendingAuthorization;
    if (pending.connector !== connector) throw new AuthorizationRefused('This sign-in belongs to another connector.');
    return pending;
  };
  const hashOf = (connector: string, state: string): string => {
    const id = states.open(state, [connector]);
    if (id === undefined) throw new AuthorizationRefused('This sign-in was not started in this browser. Start again.');
    return sha256(id);
  };

  /**
   * Returns the owner's scopes. If there are none: those of the discovery, of the previous consent, and those that a
   * server found missing.
   */
  const scopesOf = async (owner: OwnerKey, name: string, auth: OAuthAuth, { scopes }: Provider) => {
    if (auth.scopes.length > 0) return scopes;
    const held = (await vault.find(owner, name))?.credential;
    const before = held?.type === 'oauth' ? detailsOf(held).provider.scopes : [];
    return [...new Set([...scopes, ...before, ...(await wantedScopes.find(owner, name))])];
  };

  /** Returns the caller who started the authorization, with the caller's current role in the workspace. */
  const callerOf = async ({ user, workspaceId }: PendingAuthorization): Promise<ConnectorCaller> => {
    const workspace = registry ? await registry.enter(user, workspaceId) : personalWorkspace(user);
    const person = ownerKey(user);
    return { user, person, workspace, owner: memberKey(person, workspace) };
  };

  return {
    /**
     * Starts an authorization and returns the URL where the user consents.
     * @throws `unavailable` with a message for users, when the provider can't be used.
     */
    async begin({ caller, connector, scope, browserHash, ...addresses }: BeginAuthorization): Promise<URL> {
      const { name, auth } = connector;
      const found = await findProvider(connector, auth, ask);
      const provider = {
        ...found,
        scopes: await scopesOf(grants.ownerOf(caller, connector, scope), name, auth, found),
      };
      const { client, redirectUri } = await clients.choose({ connector: name, auth, provider, ...addresses });
      const id = randomBytes(24).toString('base64url');
      const verifier = oauth.generateRandomCodeVerifier();
      const pending: PendingAuthorization = {
        connector: name,
        scope,
        user: caller.user,
        workspaceId: caller.workspace.id,
        provider,
        client,
        redirectUri,
        verifier,
        browserHash,
      };
      const stateHash = sha256(id);
      await stores.authorizations.purge(clock.nowMs());
      await stores.authorizations.put({
        stateHash,
        owner: caller.person,
        sealed: box.seal(JSON.stringify(pending), [stateHash]),
        expiresAtMs: clock.nowMs() + LIFE_MS,
      });
      const url = new URL(provider.authorizationEndpoint);
      const parameters = {
        // Otherwise many providers issue no refresh token. Source: OpenID Connect Core, 11.
        ...(provider.scopes.includes('offline_access') && { prompt: 'consent' }),
        ...auth.authorizationParameters,
        ...(provider.scopes.length > 0 && { scope: provider.scopes.join(' ') }),
        ...(provider.resource !== undefined && { resource: provider.resource }),
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: redirectUri,
        state: states.seal(id, [name]),
        code_challenge_method: 'S256',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      };
      for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
      return url;
    },
    /** Returns the pending authorization without consuming it. @throws AuthorizationRefused when there is none. */
    async look(connector: string, state: string): Promise<PendingAuthorization> {
      return open(await stores.authorizations.find(hashOf(connector, state), clock.nowMs()), connector);
    },
    /** Consumes the authorization, exchanges the code and stores the credential. @throws AuthorizationRefused */
    async finish(connector: string, state: string, parameters: URLSearchParams): Promise<PendingAuthorization> {
      const pending = open(await stores.authorizations.take(hashOf(connector, state), clock.nowMs()), connector);
      const { client, provider, redirectUri, verifier, scope } = pending;
      const caller = await callerOf(pending);
      const declared = (await directory.get(caller, connector)).connector;
      const party = declared.auth.type === 'oauth' ? partyOf({ client, provider }, declared.auth) : undefined;
      if (!party) throw new AuthorizationRefused("The connector's configuration has changed. Start the sign-in again.");
      // Checked before the exchange: the caller may no longer manage this scope.
      grants.ownerOf(caller, declared, scope);
      const answer = await tokens.exchange({ ...party, parameters, redirectUri, verifier });
      if ('error' in answer) {
        if (answer.error === 'invalid_client') await forgetClient(stores.oauthClients, client);
        logger.info({ connector, error: codeOf(answer) }, 'a provider refused a sign-in');
        throw new AuthorizationRefused(`${hostOf(provider.authorizationEndpoint)} did not grant access.`);
      }
      const credential = toCredential(answer, { provider, client }, clock.nowMs());
      await grants.put(caller, declared, scope, credential);
      return pending;
    },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
