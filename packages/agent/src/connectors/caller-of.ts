import type { AgentAppContext } from '../http/agent-app.ts';
import { ownerKey } from '../store/owner-key.ts';
import type { ConnectorCaller } from './caller.ts';

/** Who makes a request; behind `requireUser` only. */
export function callerOf(c: AgentAppContext): ConnectorCaller {
  const user = c.get('user');
  if (!user) throw new Error('callerOf needs a route that asks for a user');
  return { user, person: ownerKey(user), owner: c.get('owner'), workspace: c.get('workspace') };
}
