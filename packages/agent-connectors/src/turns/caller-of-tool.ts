import { type ToolContext, ToolError } from '@berth/agent-core';
import { ownerKey } from '@berth/agent-store';
import type { ConnectorCaller } from '../connector/caller.ts';

/** For whom a tool of a connector is called. @throws ToolError for nobody: connectors are of people who signed in. */
export function callerOfTool(context: Pick<ToolContext, 'user' | 'ownerKey' | 'workspace'>): ConnectorCaller {
  const { user, ownerKey: owner, workspace } = context;
  if (!user) throw new ToolError('Nobody is signed in.');
  return { user, person: ownerKey(user), owner, workspace };
}
