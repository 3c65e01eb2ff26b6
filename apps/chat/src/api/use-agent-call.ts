import { WORKSPACE_HEADER } from '@berth/contract/headers';
import { type CallSecret, type HttpCall, toCurl } from '@berth/ui';
import { useAgent } from './agent-context.ts';

/** Calls of this agent as commands: with a place for the token where it takes one, in the workspace that is open. */
export function useAgentCall() {
  const { config, teamId } = useAgent();
  const secret: CallSecret = config.auth ? 'bearer' : 'none';
  /** The call with the workspace that the person works in. */
  const inWorkspace = (http: HttpCall): HttpCall =>
    teamId === undefined ? http : { ...http, headers: { ...http.headers, [WORKSPACE_HEADER]: teamId } };
  return {
    ...{ secret, teamId, inWorkspace },
    toCommand: (http: HttpCall) => toCurl(inWorkspace(http), location.origin, secret),
  } as const;
}
