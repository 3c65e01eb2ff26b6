import type { Attachment, InputPart, Part } from '@berth/contract/agent';

/** A message to store. */
export interface NewMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly content: string | readonly InputPart[];
  /** Parts of an assistant message, assembled from its frames. */
  readonly parts?: readonly Part[];
  readonly attachments?: readonly Attachment[];
  /** Sent to the model and never shown, e.g. that the user stopped the previous turn. */
  readonly isInternal?: boolean;
  /** Id of its run; undefined for imported messages. */
  readonly runId?: string;
  /** Status of a turn that didn't complete; the model is told. */
  readonly status?: 'stopped' | 'interrupted' | 'failed';
  /** Data for the model's adapter, e.g. signatures of thinking. Any JSON. */
  readonly modelData?: unknown;
}

/** A stored message. */
export interface StoredMessage extends NewMessage {
  /** Sequence number within the chat. Increases, has gaps where messages were removed, and is never reused. */
  readonly seq: number;
  readonly createdAtMs: number;
}
