import { randomBytes } from 'node:crypto';
import { canonicalJson, type Tool } from '@berth/agent-core';
import type { ApprovalStore, OwnerKey, StoredApproval } from '@berth/agent-store';
import type { Clock } from '@berth/kit';

/** A call that somebody has to decide on. */
export interface AskedCall {
  readonly callId: string;
  readonly tool: Tool;
  /** As they will be handed to the tool. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly label: string;
}

/** A call that was decided on, and is used up. */
export interface DecidedCall extends Pick<StoredApproval, 'callId' | 'tool' | 'label' | 'definitionHash'> {
  readonly args: Readonly<Record<string, unknown>>;
  readonly isApproved: boolean;
}

/**
 * Asking a person, and what came of it. Invariants: (1) a key is known to nobody but whoever was asked; (2) what is run is
 * what was shown, or what the person themselves made of it: the arguments are kept here, and a message brings none; (3) a key is good once, for its person, its chat and its
 * time. Source: docs/contract/agent-api.md §2, "Approvals".
 */
export interface Approvals {
  /** @returns the key of the question. */
  ask(owner: OwnerKey, chatId: string, call: AskedCall): Promise<string>;
  /** Takes back questions that nobody was shown. */
  withdraw(owner: OwnerKey, chatId: string, keys: readonly string[]): Promise<void>;
  /**
   * Uses up what was decided of a chat: what was told to the route, and the keys that came with a message, which approve.
   * Keys that are unknown, someone else's, used or too old are passed over.
   */
  take(owner: OwnerKey, chatId: string, keys: readonly string[]): Promise<readonly DecidedCall[]>;
}

const LIFETIME_MS = 24 * 60 * 60_000;
/** 192 bits. */
const KEY_BYTES = 24;

export function createApprovals(store: ApprovalStore, clock: Clock): Approvals {
  return {
    async ask(owner, chatId, { callId, tool, args, label }) {
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
        expiresAtMs: nowMs + LIFETIME_MS,
      });
      return key;
    },
    async withdraw(owner, chatId, keys) {
      for (const key of keys) await store.take(owner, chatId, key, clock.nowMs());
    },
    async take(owner, chatId, keys) {
      const nowMs = clock.nowMs();
      const decided = await store.listDecided(owner, chatId, nowMs);
      const taken: DecidedCall[] = [];
      for (const key of new Set([...decided.map((one) => one.key), ...keys])) {
        const approval = await store.take(owner, chatId, key, nowMs);
        if (!approval) continue;
        const { callId, tool, label, definitionHash, decision } = approval;
        const args = JSON.parse(approval.args);
        taken.push({ callId, tool, label, definitionHash, args, isApproved: decision !== 'deny' });
      }
      return taken;
    },
  };
}
