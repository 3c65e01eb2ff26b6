import type { OwnerKey } from './owner-key.ts';
import type { NewMessage } from './stored-message.ts';

/** A tool call that waits for approval. */
export interface StoredApproval {
  readonly key: string;
  readonly chatId: string;
  /** Id of the model's tool call. */
  readonly callId: string;
  readonly tool: string;
  /** Name under which the user's mode for the tool is stored; undefined: the tool's own name. */
  readonly settingKey?: string;
  /** Label shown to the user. */
  readonly label: string;
  /** Arguments in canonical JSON, as shown to the user or edited by the user. Exactly these are used for the call. */
  readonly args: string;
  /** SHA-256 of the tool's definition, so that the approval doesn't cover another tool of the same name. */
  readonly definitionHash: string;
  /** The tool's input schema as JSON; undefined for an approval of an earlier version. */
  readonly inputSchema?: string;
  readonly expiresAtMs: number;
  /** Undefined while the approval is pending. */
  readonly decision?: 'approve' | 'deny';
  /** The user's reason for the decision. */
  readonly reason?: string;
  /** Key of the workspace of the turn; undefined for callers who did not sign in. */
  readonly workspace?: string;
  /** State to continue the turn, as JSON text; undefined when it can't continue automatically. */
  readonly request?: string;
}

/** An approval with its place, for lists over many chats. */
export interface PlacedApproval extends StoredApproval {
  readonly owner: OwnerKey;
  readonly chatTitle: string;
}

/** A decision on an approval. */
export interface ApprovalDecision {
  readonly decision: 'approve' | 'deny';
  readonly nowMs: number;
  /** The user's edited arguments, in canonical JSON. */
  readonly args?: string;
  readonly reason?: string;
  /** Recorded in the chat together with the decision. */
  readonly message?: NewMessage;
}

/** The approvals of tool calls. */
export interface ApprovalStore {
  add(owner: OwnerKey, approval: StoredApproval): Promise<void>;
  find(owner: OwnerKey, chatId: string, key: string): Promise<StoredApproval | undefined>;
  /** Returns a pending approval by its key alone, of whichever owner. */
  findWaiting(key: string, nowMs: number): Promise<PlacedApproval | undefined>;
  /** Decides a pending approval that has not expired, in one transaction; false, with nothing stored, otherwise. */
  decide(owner: OwnerKey, chatId: string, key: string, decision: ApprovalDecision): Promise<boolean>;
  /**
   * Returns pending approvals that have not expired, of an owner or of everyone in a workspace, in the order of their expiry.
   * Leaves out chats in the trash.
   */
  listAllWaiting(
    of: { readonly owner: OwnerKey } | { readonly workspace: string },
    nowMs: number,
    limit: number,
  ): Promise<readonly PlacedApproval[]>;
  /** Returns the chat's pending approvals that have not expired, in the order of their expiry. */
  listWaiting(owner: OwnerKey, chatId: string, nowMs: number): Promise<readonly StoredApproval[]>;
  /** Returns the chat's decided approvals that are neither used nor expired. */
  listDecided(owner: OwnerKey, chatId: string, nowMs: number): Promise<readonly StoredApproval[]>;
  /**
   * Takes an approval, decided or not: of concurrent calls, one gets it. Undefined when there is none or it has
   * expired.
   */
  take(owner: OwnerKey, chatId: string, key: string, nowMs: number): Promise<StoredApproval | undefined>;
  /** Deletes approvals that expired before `nowMs`. */
  purge(nowMs: number): Promise<void>;
}
