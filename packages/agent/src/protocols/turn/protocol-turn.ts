import type { AgentAppContext, RouteGuard, User } from '@berth/agent-core';
import type { AgentStores, OwnerKey, StoredApproval } from '@berth/agent-store';
import type { ChatMessage } from '@berth/contract/agent';
import { type DecideApprovalDeps, decideApproval } from '../../approvals/decide-approval.ts';
import { type AgentRun, type AgentRunDeps, type RunMessage, startAgentRun } from '../../turns/agent-run.ts';
import { followRun } from '../../turns/run-once.ts';

/** Dependencies of the turns of all protocols. */
export interface ProtocolDeps extends RouteGuard, AgentRunDeps, DecideApprovalDeps {
  readonly stores: Pick<AgentStores, 'chats' | 'runs' | 'approvals' | 'settings'>;
  /** The agent's name, as in its address. */
  readonly agentName: string;
  /** The agent's title for people. */
  readonly agentTitle: string;
  readonly agentDescription: string | undefined;
}

/** The caller and the workspace. */
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
  /** Absent: the answer goes on with the decisions. */
  readonly message?: string | RunMessage;
  /** The conversation so far, for callers of whom nothing is kept. */
  readonly earlier?: readonly ChatMessage[];
  /** The keys of approvals, with what the person decided. */
  readonly decisions?: ReadonlyMap<string, boolean>;
  /** Stops the turn when it aborts. */
  readonly signal?: AbortSignal;
}

/** The message of a turn that only decides, for agents whose answers can't continue automatically. */
const GO_ON = 'Go on.';

/**
 * Starts a turn, or goes on with the last answer. Decisions are stored first.
 * @throws what `agent.run` throws, and `not_found` for a decision on a call that doesn't wait in this chat.
 */
export async function startProtocolTurn(
  deps: ProtocolDeps,
  { user, workspace, owner }: ProtocolCaller,
  { chatId, message, earlier, decisions = new Map(), signal }: ProtocolTurn,
): Promise<AgentRun> {
  let runId: string | null = null;
  for (const [key, isApproved] of decisions) {
    const approval = await deps.stores.approvals.find(owner, chatId, key);
    const decision = isApproved ? 'approve' : 'deny';
    const decided = await decideApproval(
      deps,
      { approval, owner, by: user },
      { decision, resume: message === undefined },
    );
    runId = decided.run;
  }
  if (runId !== null) return followRun(deps, { owner, chatId, runId, signal });
  const options = {
    ...(user && { user }),
    ...(workspace !== undefined && { workspace }),
    chatId,
    message: message ?? GO_ON,
    ...(signal && { signal }),
  };
  return await startAgentRun(deps, options, earlier);
}

/** Refuses calls that wait, without going on with the answer. */
export async function refuseCalls(
  deps: ProtocolDeps,
  { user, owner }: ProtocolCaller,
  waiting: readonly StoredApproval[],
): Promise<void> {
  for (const approval of waiting) {
    await decideApproval(deps, { approval, owner, by: user }, { decision: 'deny', resume: false });
  }
}
