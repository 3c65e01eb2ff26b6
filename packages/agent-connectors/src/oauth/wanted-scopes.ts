import { createHash } from 'node:crypto';
import type { AuthorizationStore, OwnerKey } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
import { z } from 'zod';
import type { SecretRing } from '../credentials/create-secret-ring.ts';

/**
 * Scopes that a server required and the credential lacked. The next consent requests them too; otherwise a user who
 * connects again after a rejected call would get the same scopes. Source: Model Context Protocol, "Scope Challenge
 * Handling".
 */
export type WantedScopes = ReturnType<typeof createWantedScopes>;

/**
 * Lifetime, equal to that of an authorization so that none of those is evicted. A user who connects later gets one more
 * rejection.
 */
const LIFE_MS = 600_000;
/** Maximum number of scopes, so that a server can't fill the authorization URL. */
const MAX_SCOPES = 50;
/** Source: RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** Creates the store of missing scopes. */
export function createWantedScopes({
  authorizations,
  secrets,
  clock,
}: {
  readonly authorizations: AuthorizationStore;
  readonly secrets: SecretRing;
  readonly clock: Clock;
}) {
  const box = secrets.box('oauth wanted scopes');
  // Missing scopes are stored among the pending authorizations, under a hash that no state has.
  const nameOf = (owner: OwnerKey, connector: string) =>
    createHash('sha256')
      .update(JSON.stringify(['wanted scopes', owner, connector]))
      .digest('base64url');
  const find = async (owner: OwnerKey, connector: string): Promise<readonly string[]> => {
    const name = nameOf(owner, connector);
    const stored = await authorizations.find(name, clock.nowMs());
    const text = stored && box.open(stored.sealed, [name]);
    return text === undefined ? [] : z.array(z.string()).parse(JSON.parse(text));
  };
  return {
    find,
    async note(owner: OwnerKey, connector: string, scopes: readonly string[]): Promise<void> {
      const known = await find(owner, connector);
      const wanted = [...new Set([...known, ...scopes.filter((scope) => SCOPE.test(scope))])].slice(0, MAX_SCOPES);
      if (wanted.length === known.length) return;
      const stateHash = nameOf(owner, connector);
      const expiresAtMs = clock.nowMs() + LIFE_MS;
      await authorizations.take(stateHash, clock.nowMs());
      const sealed = box.seal(JSON.stringify(wanted), [stateHash]);
      try {
        await authorizations.put({ stateHash, owner, sealed, expiresAtMs });
      } catch (error) {
        // Another call was rejected at the same time and stored its scopes first.
        if ((await find(owner, connector)).length === 0) throw error;
      }
    },
  };
}
