import type { Attachment, InputPart, Part } from '@berth/contract/agent';

/** A message to be stored: a row of its own. */
export interface NewMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly content: string | readonly InputPart[];
  /** Of an assistant: what its frames added up to. */
  readonly parts?: readonly Part[];
  readonly attachments?: readonly Attachment[];
  /** Told to the model, never shown: e.g. that the person stopped the turn before. */
  readonly isInternal?: boolean;
  /** The run that it is of; undefined for imported ones. */
  readonly runId?: string;
  /** How its turn ended, when not well: the model is told. */
  readonly status?: 'stopped' | 'interrupted' | 'failed';
  /** What only the model's adapter reads, e.g. signatures of thinking. Any JSON. */
  readonly modelData?: unknown;
}

/** A message as it was stored. */
export interface StoredMessage extends NewMessage {
  /** Counts up within a chat, with gaps where messages were removed, and is never given twice. */
  readonly seq: number;
  readonly createdAtMs: number;
}
