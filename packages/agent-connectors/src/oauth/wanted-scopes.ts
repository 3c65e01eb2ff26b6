import { createHash } from 'node:crypto';
import type { AuthorizationStore, OwnerKey } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
import { z } from 'zod';
import type { SecretRing } from '../connector/secret-ring.ts';

/**
 * Rights that a server wanted and a credential hadn't: the next consent asks for them too. Else whoever connects again, because a
 * call was refused, would get the same rights again. Source: Model Context Protocol, "Scope Challenge Handling".
 */
export interface WantedScopes {
  note(owner: OwnerKey, connector: string, scopes: readonly string[]): Promise<void>;
  find(owner: OwnerKey, connector: string): Promise<readonly string[]>;
}

/** As a consent under way, so that none of those is pushed out. Who connects later meets one more refusal. */
const LIFE_MS = 600_000;
/** A server says what it wants; it does not fill an address. */
const MAX_SCOPES = 50;
/** Source: RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

export function createWantedScopes({
  authorizations,
  secrets,
  clock,
}: {
  readonly authorizations: AuthorizationStore;
  readonly secrets: SecretRing;
  readonly clock: Clock;
}): WantedScopes {
  const box = secrets.box('oauth wanted scopes');
  // A consent to come is kept beside those under way, under a name that no state has.
  const nameOf = (owner: OwnerKey, connector: string) =>
    createHash('sha256')
      .update(JSON.stringify(['wanted scopes', owner, connector]))
      .digest('base64url');
  const find: WantedScopes['find'] = async (owner, connector) => {
    const name = nameOf(owner, connector);
    const stored = await authorizations.find(name, clock.nowMs());
    const text = stored && box.open(stored.sealed, [name]);
    return text === undefined ? [] : z.array(z.string()).parse(JSON.parse(text));
  };
  return {
    find,
    async note(owner, connector, scopes) {
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
        // Another call was refused at the same moment, and was first.
        if ((await find(owner, connector)).length === 0) throw error;
      }
    },
  };
}
