import { createError } from '@berth/contract';
import type { GrantScope } from '@berth/contract/agent';
import { BerthError, type Clock } from '@berth/kit';
import type { Connector } from '../connector/connector.ts';
import type { Grant, GrantRenewal, Grants, HeldCredential } from '../connector/grants.ts';
import type { Vault } from './create-vault.ts';
import { grantOf, openGrant } from './grant-of.ts';
import { isLive } from './is-live.ts';
import { mayManage, slotsOf } from './slots-of.ts';

/** Dependencies of {@link createGrants}. */
export interface GrantsDeps {
  readonly vault: Vault;
  readonly renewal: GrantRenewal;
  readonly clock: Clock;
}

const WHOSE: Readonly<Record<GrantScope, string>> = { user: 'a person', workspace: 'a workspace' };

/**
 * Creates the grants of an agent. A user whose own credential was rejected is asked to connect again; the workspace's
 * credential isn't used instead without the user's choice.
 */
export function createGrants({ vault, renewal, clock }: GrantsDeps): Grants {
  const renew = async (held: HeldCredential, connector: Connector, scope: GrantScope): Promise<Grant | undefined> => {
    try {
      const renewed = await renewal.renew(held, connector);
      return renewed && grantOf(renewed, connector, scope);
    } catch (error) {
      const isOver = held.credential.type === 'oauth' && (held.credential.expiresAtMs ?? 0) <= clock.nowMs();
      if (isOver || !BerthError.is(error) || error.code !== 'unavailable') throw error;
      return grantOf(held, connector, scope);
    }
  };
  const ownerOf: Grants['ownerOf'] = (caller, connector, scope) => {
    const slots = slotsOf(caller, connector);
    const isPersonal = caller.workspace.type === 'personal';
    const slot = isPersonal ? slots[0] : slots.find((one) => one.scope === scope);
    if (!slot) throw createError('bad_request', `${connector.title} can't be connected by ${WHOSE[scope]}.`);
    if (slot.scope === 'workspace' && !mayManage(caller)) {
      throw createError('forbidden', 'Only owners and admins of the workspace can manage its connections.');
    }
    return slot.owner;
  };
  return {
    ownerOf,
    async open(caller, connector) {
      if (connector.auth.type === 'none') return openGrant(connector, caller.person);
      for (const { scope, owner } of slotsOf(caller, connector)) {
        const held = await vault.find(owner, connector.name);
        if (!held) continue;
        if (!isLive(held, connector, clock.nowMs())) return undefined;
        const { credential } = held;
        const isDue = credential.type === 'oauth' && (credential.renewAtMs ?? Infinity) <= clock.nowMs();
        return isDue ? renew(held, connector, scope) : grantOf(held, connector, scope);
      }
      return undefined;
    },
    async put(caller, connector, scope, credential) {
      await vault.put(ownerOf(caller, connector, scope), connector.name, credential);
    },
    async remove(caller, connector, scope) {
      const held = await vault.remove(ownerOf(caller, connector, scope), connector.name);
      if (held) await renewal.revoke(held, connector);
    },
    async reportRejected(connector, grant) {
      const held = await vault.find(grant.owner, connector.name);
      if (!held || !isLive(held, connector, clock.nowMs())) return undefined;
      // The credential was renewed or replaced in the meantime: the current one has not been rejected.
      if (held.version !== grant.version) return grantOf(held, connector, grant.scope);
      if (held.credential.type === 'oauth' && held.credential.refreshToken !== undefined) {
        const renewed = await renewal.renew(held, connector);
        return renewed && grantOf(renewed, connector, grant.scope);
      }
      await vault.markRejected(held);
      return undefined;
    },
  };
}
