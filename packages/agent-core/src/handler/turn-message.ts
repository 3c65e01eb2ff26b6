import type { Attachment, InputPart, Part, RunStatus } from '@berth/contract/agent';

/** A message of the conversation, as a handler receives it. */
export interface TurnMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  /** The text; for an assistant its parts as markdown. */
  readonly content: string | readonly InputPart[];
  /** The assistant's components, from the server's own record and never from a client's claim. */
  readonly parts?: readonly Part[];
  readonly attachments?: readonly Attachment[];
  /** How an assistant's turn ended, when it did not complete; the content is then partial. */
  readonly status?: Exclude<RunStatus, 'running' | 'done'>;
  /** True for messages that only the model sees. */
  readonly isInternal?: boolean;
}
