import type { OwnerKey } from '@berth/agent-store';
import type { GrantScope } from '@berth/contract/agent';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';

/** A place where a credential may be. */
export interface GrantSlot {
  readonly scope: GrantScope;
  readonly owner: OwnerKey;
}

/**
 * Where a credential that the caller uses may be, the one that is used first in front: the person's own before the workspace's. In
 * the personal workspace both are the same.
 */
export function slotsOf({ person, workspace }: ConnectorCaller, { scope }: Connector): readonly GrantSlot[] {
  const own: GrantSlot = { scope: 'user', owner: person };
  const shared: GrantSlot = { scope: 'workspace', owner: workspace.key };
  if (scope === 'user') return [own];
  if (scope === 'workspace') return [shared];
  return workspace.type === 'personal' ? [own] : [own, shared];
}

/** Whether the caller manages what the workspace shares. */
export function mayManage({ workspace }: ConnectorCaller): boolean {
  return workspace.role !== 'editor';
}

/** Whose a credential is when nobody says: the person's own, wherever there may be one. */
export function defaultScope({ scope }: Connector): GrantScope {
  return scope === 'workspace' ? 'workspace' : 'user';
}
