import type { OwnerKey } from '@berth/agent-store';
import type { GrantScope } from '@berth/contract/agent';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';

/** An owner under whom a credential may be stored. */
export interface GrantSlot {
  readonly scope: GrantScope;
  readonly owner: OwnerKey;
}

/**
 * Returns the slots of the caller's credentials in order of preference: the user's own before the workspace's. In the
 * personal workspace both are the same.
 */
export function slotsOf({ person, workspace }: ConnectorCaller, { scope }: Connector): readonly GrantSlot[] {
  const own: GrantSlot = { scope: 'user', owner: person };
  const shared: GrantSlot = { scope: 'workspace', owner: workspace.key };
  if (scope === 'user') return [own];
  if (scope === 'workspace') return [shared];
  return workspace.type === 'personal' ? [own] : [own, shared];
}

/** Reports whether the caller manages the workspace's shared connections. */
export function mayManage({ workspace }: ConnectorCaller): boolean {
  return workspace.role !== 'editor';
}

/**
 * Returns the scope when the request names none: `user`, unless the connector takes only the workspace's credential.
 */
export function defaultScope({ scope }: Connector): GrantScope {
  return scope === 'workspace' ? 'workspace' : 'user';
}
