import type { OwnerKey } from './owner-key.ts';

/** A person's rating of an answer. */
export type Rating = 'up' | 'down';

/** A person's opinion of an answer. */
export interface StoredFeedback {
  readonly owner: OwnerKey;
  readonly chatId: string;
  /** The first message of the answer. */
  readonly seq: number;
  /** Undefined for a note alone. */
  readonly rating?: Rating;
  /** '' for none. */
  readonly note: string;
  /** The question and the answer as they were, as Markdown. */
  readonly question: string;
  readonly answer: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Opinions of answers. They go with their chat. */
export interface FeedbackStore {
  /** Stores an opinion in place of an earlier one of the same answer. */
  put(feedback: Omit<StoredFeedback, 'createdAtMs' | 'updatedAtMs'>, nowMs: number): Promise<StoredFeedback>;
  /** Removes an opinion; false when there is none. */
  remove(owner: OwnerKey, chatId: string, seq: number): Promise<boolean>;
  /** Returns the opinions of a chat's answers. */
  listOf(owner: OwnerKey, chatId: string): Promise<readonly StoredFeedback[]>;
  /**
   * Returns the opinions of all people of an organization, or of one person, outside the trash, in the order of their last change:
   * those after `after`, at most `limit`.
   */
  listAll(options: {
    readonly of: { readonly orgId: string } | { readonly owner: OwnerKey };
    readonly limit: number;
    readonly after?: Pick<StoredFeedback, 'updatedAtMs' | 'owner' | 'chatId' | 'seq'>;
    readonly rating?: Rating;
  }): Promise<readonly StoredFeedback[]>;
}
