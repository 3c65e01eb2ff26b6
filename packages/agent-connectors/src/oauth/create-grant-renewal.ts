import type { Outbound } from '@berth/agent-core';
import type { OAuthClientStore } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { type Clock, createSingleFlight, describeError, type IdSource, type Logger } from '@berth/kit';
import type { Connector, OAuthAuth } from '../connector/connector.ts';
import type { GrantRenewal, HeldCredential, OAuthCredential } from '../connector/grants.ts';
import type { Vault } from '../credentials/create-vault.ts';
import { forgetClient } from './choose-client.ts';
import { detailsOf, partyOf, toCredential } from './grant-details.ts';
import { createProviderFetch } from './provider-fetch.ts';
import { codeOf, createTokenEndpoint, type TokenParty } from './token-endpoint.ts';

/** Dependencies of {@link createGrantRenewal}. */
export interface GrantRenewalDeps {
  readonly vault: Vault;
  readonly clients: OAuthClientStore;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/**
 * Duration of the lease; a provider has 10 s to answer. A crashed instance blocks the renewal until the lease expires.
 */
const LEASE_MS = 20_000;
/** Polling interval of instances that wait for another one's renewal. */
const LOOK_EVERY_MS = 100;
/** Backoff after a failed renewal; without it, every call would wait for the provider. */
const PAUSE_MS = 5_000;
/** Maximum wait of a user who disconnects for a provider that doesn't answer. */
const REVOKE_MS = 5_000;

/**
 * Creates the renewal of OAuth tokens. Invariants:
 * 1. One instance at a time asks the provider: many providers treat a reused refresh token as stolen and revoke
 * everything.
 * 2. The lease's holder first checks whether another instance has renewed the credential.
 * 3. New tokens are stored before they are used.
 * 4. A user who disconnects during a renewal stays disconnected.
 */
export function createGrantRenewal({ vault, clients, outbound, clock, ids, logger }: GrantRenewalDeps): GrantRenewal {
  const tokens = createTokenEndpoint(createProviderFetch(outbound));
  const flights = createSingleFlight<HeldCredential | undefined>();
  const failures = new Map<string, unknown>();

  const ask = async (held: HeldCredential, auth: OAuthAuth): Promise<HeldCredential | undefined> => {
    const credential = held.credential as OAuthCredential;
    const { refreshToken } = credential;
    const details = detailsOf(credential);
    const party = partyOf(details, auth);
    const answer = refreshToken !== undefined && party ? await tokens.renew(party, refreshToken) : { error: 'none' };
    if ('error' in answer) {
      logger.info({ connector: held.connector, error: codeOf(answer) }, 'a connection must be renewed by its owner');
      await vault.markRejected(held);
      if (answer.error === 'invalid_client') await forgetClient(clients, details.client);
      return undefined;
    }
    const renewed = toCredential(answer, details, clock.nowMs(), credential);
    const kept = await vault.replace(held, renewed);
    if (kept) return kept;
    const current = await vault.find(held.owner, held.connector);
    // If the user has connected again, the new tokens are not revoked: with one token some providers revoke everything
    // that the user granted the agent.
    if (!current && party) await forget(party, renewed, held.connector);
    return settled(current, held);
  };

  const forget = async (party: TokenParty, credential: OAuthCredential, connector: string): Promise<void> => {
    if (party.provider.revocationEndpoint === undefined) return;
    try {
      // The refresh token first: most providers then revoke the access token too. Source: RFC 7009, 2.1.
      for (const token of [credential.refreshToken, credential.accessToken]) {
        if (token !== undefined) await tokens.revoke(party, token);
      }
    } catch (error) {
      logger.warn({ connector, error: describeError(error) }, 'a provider could not be notified of a disconnection');
    }
  };

  const renew = async (held: HeldCredential, auth: OAuthAuth): Promise<HeldCredential | undefined> => {
    const { owner, connector } = held;
    const holder = ids.next('renewal');
    const endMs = clock.monotonicMs() + 2 * LEASE_MS;
    for (;;) {
      const current = await vault.find(owner, connector);
      if (!current || current.isRejected || current.version !== held.version) return settled(current, held);
      if (await vault.lease(owner, connector, holder, LEASE_MS)) break;
      if (clock.monotonicMs() > endMs) {
        throw createError('unavailable', `The connection to ${connector} is being renewed. Try again in a moment.`);
      }
      await clock.sleep(LOOK_EVERY_MS);
    }
    try {
      const current = await vault.find(owner, connector);
      if (!current || current.isRejected || current.version !== held.version) return settled(current, held);
      return await ask(current, auth);
    } finally {
      await vault.release(owner, connector, holder);
    }
  };

  return {
    async renew(held, connector) {
      const auth = oauthOf(connector);
      if (!auth || held.credential.type !== 'oauth') return undefined;
      const key = JSON.stringify([held.owner, held.connector, held.version]);
      if (failures.has(key)) throw failures.get(key);
      return flights.run(key, async () => {
        try {
          return await renew(held, auth);
        } catch (error) {
          failures.set(key, error);
          clock.setTimer(PAUSE_MS, () => failures.delete(key));
          throw error;
        }
      });
    },
    async revoke(held, connector) {
      const auth = oauthOf(connector);
      if (!auth || held.credential.type !== 'oauth') return;
      const party = partyOf(detailsOf(held.credential), auth);
      if (party) await Promise.race([forget(party, held.credential, held.connector), clock.sleep(REVOKE_MS)]);
    },
  };
}

function oauthOf({ auth }: Connector): OAuthAuth | undefined {
  return auth.type === 'oauth' ? auth : undefined;
}

/** Returns the credential as another instance renewed it in the meantime. */
function settled(current: HeldCredential | undefined, before: HeldCredential): HeldCredential | undefined {
  return current && !current.isRejected && current.version !== before.version ? current : undefined;
}
