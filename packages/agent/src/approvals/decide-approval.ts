import { canonicalJson, type User } from '@berth/agent-core';
import type { AgentStores, OwnerKey, StoredApproval } from '@berth/agent-store';
import { createError } from '@berth/contract';
import type { DecideApproval, DecidedApproval } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import { parseTurnRequest } from './turn-request.ts';

export interface DecideApprovalDeps {
  readonly stores: Pick<AgentStores, 'approvals' | 'settings'>;
  readonly clock: Clock;
  /** Goes on with the answer when nothing is left undecided; returns the id of the run if it does. */
  continueAnswer(place: {
    readonly owner: OwnerKey;
    readonly chatId: string;
    readonly request: string;
  }): Promise<string | undefined>;
}

/** Owner of the approval and person who decides. */
interface DecisionPlace {
  /** Undefined for an unknown one. */
  readonly approval: StoredApproval | undefined;
  readonly owner: OwnerKey;
  /** Undefined for callers who did not sign in. */
  readonly by: User | undefined;
}

/**
 * Decides on a call that waits, records the decision in the chat, and goes on with the answer when nothing is left undecided.
 * @throws `not_found` for unknown, foreign, used, decided and expired keys alike; `conflict` for `always` when the person has set
 * the tool to never meanwhile.
 */
export async function decideApproval(
  deps: DecideApprovalDeps,
  { approval, owner, by }: DecisionPlace,
  { decision, args, reason, resume }: DecideApproval,
): Promise<DecidedApproval> {
  const { approvals, settings } = deps.stores;
  const nowMs = deps.clock.nowMs();
  if (!approval) throw unknownError();
  const { key, chatId, tool, definitionHash, request } = approval;
  const setting = approval.settingKey ?? tool;
  if (decision === 'always' && by) {
    const modes = await settings.toolModes(owner);
    if (Object.hasOwn(modes, setting) && modes[setting] === 'never')
      throw createError('conflict', 'Your settings now never allow this tool. Change the setting first.');
  }
  const isEdited = decision !== 'deny' && args !== undefined;
  const isDecided = await approvals.decide(owner, chatId, key, {
    decision: decision === 'deny' ? 'deny' : 'approve',
    nowMs,
    ...(isEdited && { args: canonicalJson(args) }),
    ...(reason !== undefined && { reason }),
    ...(by && {
      message: {
        role: 'assistant',
        content: '',
        parts: [
          {
            ...{ type: 'decision', key, tool, decision, by: by.id },
            // The label says what the call would have done with the arguments that the person has changed.
            ...(!isEdited && { label: approval.label }),
            ...(by.name !== undefined && { by_name: by.name }),
            ...(reason !== undefined && { reason }),
            at: new Date(nowMs).toISOString(),
          },
        ],
      },
    }),
  });
  if (!isDecided) throw unknownError();
  // Nothing is stored for callers who did not sign in.
  if (decision === 'always' && by) await settings.setToolMode(owner, setting, 'allow', definitionHash);
  const run =
    resume && by && request !== undefined
      ? await deps.continueAnswer({ owner, chatId, request: ofDecider(request, by) })
      : undefined;
  return { ok: true, tool, decision, run: run ?? null };
}

/** Returns the request with what the person's token says now. Another person's turn continues as theirs. */
function ofDecider(json: string, by: User): string {
  const request = parseTurnRequest(json);
  const isOwn = request.user.id === by.id && request.user.orgId === by.orgId;
  return isOwn ? JSON.stringify({ ...request, user: by }) : json;
}

function unknownError(): Error {
  return createError('not_found', 'No pending call matches this decision. Ask the agent again.');
}
