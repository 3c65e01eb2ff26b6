import type { Attachment, InputPart, Part, RunStatus } from '@berth/contract/agent';

/** A message of the conversation as a handler is given it. */
export interface TurnMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  /** Of an assistant: its parts as markdown. */
  readonly content: string | readonly InputPart[];
  /** What the assistant's frames added up to. Never what a client claims they were. */
  readonly parts?: readonly Part[];
  readonly attachments?: readonly Attachment[];
  /** How an assistant's turn ended, when it did not end well: the text is what there was by then. */
  readonly status?: Exclude<RunStatus, 'running' | 'done'>;
  /** Told to the model, never shown. */
  readonly isInternal?: boolean;
}
