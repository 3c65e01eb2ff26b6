import type { OwnerKey } from './owner-key.ts';

/** A call of a tool that waits for a decision. */
export interface StoredApproval {
  readonly key: string;
  readonly chatId: string;
  /** Of the call that the model made. */
  readonly callId: string;
  readonly tool: string;
  /** Under which name the person's mode for the tool is kept; undefined: the tool's own. */
  readonly settingKey?: string;
  /** As it was shown to the person. */
  readonly label: string;
  /** The arguments in canonical JSON: what was shown, or what the person made of it, is what runs. */
  readonly args: string;
  /** SHA-256 of the definition of the tool, so that another tool of the same name is not what was approved. */
  readonly definitionHash: string;
  readonly expiresAtMs: number;
  /** Undefined while it waits. */
  readonly decision?: 'approve' | 'deny';
}

export interface ApprovalStore {
  add(owner: OwnerKey, approval: StoredApproval): Promise<void>;
  find(owner: OwnerKey, chatId: string, key: string): Promise<StoredApproval | undefined>;
  /** Decides one that waits and has not expired, with the arguments that the person gave it if any; false otherwise. */
  decide(
    owner: OwnerKey,
    chatId: string,
    key: string,
    decision: 'approve' | 'deny',
    nowMs: number,
    args?: string,
  ): Promise<boolean>;
  /** Those of the chat that wait for a decision and have not expired, in the order of their expiry. */
  listWaiting(owner: OwnerKey, chatId: string, nowMs: number): Promise<readonly StoredApproval[]>;
  /** Approved or denied ones of the chat that are not used up nor expired. */
  listDecided(owner: OwnerKey, chatId: string, nowMs: number): Promise<readonly StoredApproval[]>;
  /** Uses one up, decided or not: of two who do it at once one gets it. Undefined when there is none or it has expired. */
  take(owner: OwnerKey, chatId: string, key: string, nowMs: number): Promise<StoredApproval | undefined>;
  /** Drops what expired before `nowMs`. */
  purge(nowMs: number): Promise<void>;
}
