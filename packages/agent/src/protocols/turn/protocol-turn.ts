import type { AgentAppContext, RouteGuard, User } from '@berth/agent-core';
import type { AgentStores, OwnerKey } from '@berth/agent-store';
import { type DecideApprovalDeps, decideApproval } from '../../approvals/decide-approval.ts';
import { type AgentRun, type AgentRunDeps, type RunMessage, startAgentRun } from '../../turns/agent-run.ts';

/** What the turns of all protocols need. */
export interface ProtocolDeps extends RouteGuard, AgentRunDeps, DecideApprovalDeps {
  readonly stores: Pick<AgentStores, 'chats' | 'runs' | 'approvals' | 'settings'>;
  /** The agent's name, as in its address. */
  readonly agentName: string;
  /** The agent's title for people. */
  readonly agentTitle: string;
  readonly agentDescription: string | undefined;
}

/** Who calls, and where. */
export interface ProtocolCaller {
  /** Undefined for an agent without `auth`. */
  readonly user: User | undefined;
  /** Id of the active workspace; undefined for an agent without `auth`. */
  readonly workspace: string | undefined;
  readonly owner: OwnerKey;
}

/** Returns the caller of a request that the guard let in. */
export function callerOf(c: AgentAppContext): ProtocolCaller {
  const user = c.get('user');
  return { user, workspace: user && c.get('workspace').id, owner: c.get('owner') };
}

/** A turn of a protocol: a message, decisions on calls that waited for approval, or both. */
export interface ProtocolTurn {
  readonly chatId: string;
  readonly message?: string | RunMessage;
  /** The keys of approvals, with what the person decided. */
  readonly decisions?: ReadonlyMap<string, boolean>;
  /** Stops the turn when it aborts. */
  readonly signal?: AbortSignal;
}

/** What the chat shows for a turn that only decides. */
const GO_ON = 'Go on.';

/**
 * Starts a turn. Decisions are stored first; approved calls run at the start of the turn.
 * @throws what `agent.run` throws, and `not_found` for a decision on a call that doesn't wait in this chat.
 */
export async function startProtocolTurn(
  deps: ProtocolDeps,
  { user, workspace, owner }: ProtocolCaller,
  { chatId, message, decisions = new Map(), signal }: ProtocolTurn,
): Promise<AgentRun> {
  for (const [key, isApproved] of decisions) {
    const approval = await deps.stores.approvals.find(owner, chatId, key);
    const decision = isApproved ? 'approve' : 'deny';
    await decideApproval(deps, { approval, owner, by: user }, { decision, resume: false });
  }
  return await startAgentRun(deps, {
    ...(user && { user }),
    ...(workspace !== undefined && { workspace }),
    chatId,
    message: message ?? GO_ON,
    ...(signal && { signal }),
  });
}
