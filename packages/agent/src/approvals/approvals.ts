import { randomBytes } from 'node:crypto';
import { canonicalJson, type HandlerContext, type Tool } from '@berth/agent-core';
import type { ApprovalStore, OwnerKey, StoredApproval } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
import { formatTurnRequest } from './turn-request.ts';

/** A call that needs approval. */
export interface AskedCall {
  readonly callId: string;
  readonly tool: Tool;
  /** The arguments exactly as the tool will receive them. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly label: string;
}

/** The turn that asks. */
type AskingTurn = Pick<HandlerContext, 'ownerKey' | 'chatId' | 'user' | 'workspace' | 'turn'>;

/** A call that waits for a decision. */
interface WaitingCall {
  readonly key: string;
  readonly tool: string;
}

/** A call that was decided on; its key is now used up. */
export interface DecidedCall extends Pick<StoredApproval, 'callId' | 'tool' | 'label' | 'definitionHash'> {
  readonly args: Readonly<Record<string, unknown>>;
  readonly isApproved: boolean;
  /** Why the person decided so. */
  readonly reason?: string;
}

/** How long a call waits by default. */
const LIFETIME_MS = 24 * 60 * 60_000;
/** Bytes of a key: 192 bits. */
const KEY_BYTES = 24;

/**
 * Approvals of calls. Invariants: (1) only the person who was asked knows a key; (2) a call runs with the arguments that were shown
 * or that the person edited: they are stored here, and no message brings any; (3) a key is valid once, for its person and chat,
 * until it expires. Source: docs/contract/agent-api.md §2, "Approvals".
 */
export type Approvals = ReturnType<typeof createApprovals>;

export function createApprovals(store: ApprovalStore, clock: Clock, lifetimeMs = LIFETIME_MS) {
  return {
    /** Stores a call that needs approval. @returns its key. */
    async ask(context: AskingTurn, { callId, tool, args, label }: AskedCall): Promise<string> {
      const { ownerKey: owner, chatId, user, workspace, turn } = context;
      const key = randomBytes(KEY_BYTES).toString('base64url');
      const nowMs = clock.nowMs();
      await store.purge(nowMs);
      await store.add(owner, {
        key,
        chatId,
        callId,
        tool: tool.name,
        ...(tool.settingKey !== undefined && { settingKey: tool.settingKey }),
        label,
        args: canonicalJson(args),
        definitionHash: tool.definitionHash,
        inputSchema: JSON.stringify(tool.inputSchema),
        expiresAtMs: nowMs + lifetimeMs,
        ...(user && { workspace: workspace.key, request: formatTurnRequest(user, workspace, turn) }),
      });
      return key;
    },
    /** Returns the calls of a chat that wait for a decision. */
    async waiting(owner: OwnerKey, chatId: string): Promise<readonly (Omit<AskedCall, 'tool'> & WaitingCall)[]> {
      const waiting = await store.listWaiting(owner, chatId, clock.nowMs());
      return waiting.map(({ key, callId, tool, label, args }) => ({
        key,
        callId,
        tool,
        label,
        args: JSON.parse(args),
      }));
    },
    /** Deletes questions that were never shown. */
    async withdraw(owner: OwnerKey, chatId: string, keys: readonly string[]): Promise<void> {
      for (const key of keys) await store.take(owner, chatId, key, clock.nowMs());
    },
    /**
     * Consumes the decisions of a chat: those made through the route, and approvals whose keys came with a message. Ignores keys
     * that are unknown, foreign, used or expired.
     */
    async take(owner: OwnerKey, chatId: string, keys: readonly string[]): Promise<readonly DecidedCall[]> {
      const nowMs = clock.nowMs();
      const decided = await store.listDecided(owner, chatId, nowMs);
      const taken: DecidedCall[] = [];
      for (const key of new Set([...decided.map((one) => one.key), ...keys])) {
        const approval = await store.take(owner, chatId, key, nowMs);
        if (!approval) continue;
        const { callId, tool, label, definitionHash, decision, reason } = approval;
        const args = JSON.parse(approval.args);
        taken.push({
          ...{ callId, tool, label, definitionHash, args, isApproved: decision !== 'deny' },
          ...(reason !== undefined && { reason }),
        });
      }
      return taken;
    },
  };
}
