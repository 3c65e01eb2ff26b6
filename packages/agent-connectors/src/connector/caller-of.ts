import type { AgentAppContext } from '@berth/agent-core';
import { ownerKey } from '@berth/agent-store';
import type { ConnectorCaller } from './caller.ts';

/** Returns the caller of a request; only for routes behind `requireUser`. */
export function callerOf(c: AgentAppContext): ConnectorCaller {
  const user = c.get('user');
  if (!user) throw new Error('callerOf needs a route that asks for a user');
  return { user, person: ownerKey(user), owner: c.get('owner'), workspace: c.get('workspace') };
}
