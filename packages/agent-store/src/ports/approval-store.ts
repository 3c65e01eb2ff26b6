import type { OwnerKey } from './owner-key.ts';

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
}

/** The approvals of tool calls. */
export interface ApprovalStore {
  add(owner: OwnerKey, approval: StoredApproval): Promise<void>;
  find(owner: OwnerKey, chatId: string, key: string): Promise<StoredApproval | undefined>;
  /** Decides a pending approval that has not expired, with the user's edited arguments if any; false otherwise. */
  decide(
    owner: OwnerKey,
    chatId: string,
    key: string,
    decision: 'approve' | 'deny',
    nowMs: number,
    args?: string,
  ): Promise<boolean>;
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
