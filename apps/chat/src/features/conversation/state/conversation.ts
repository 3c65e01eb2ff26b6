import type { Attachment, UiFrame } from '@berth/contract/agent';
import type { Api } from '../../../api/api.ts';
import type { Store } from '../../../store/store.ts';
import type { Decision, ToolArgs } from './chat-calls.ts';
import type { Item } from './items.ts';
import type { KeptChats } from './kept-chat.ts';
import type { Outbox } from './outbox.ts';
import type { Schedule } from './paced.ts';

/**
 * The state of the open chat. Invariants:
 * 1. The page follows one turn at a time; opening another chat leaves the previous turn running on the server.
 * 2. Items up to `base` are as the server has them; later items are known to this page first: its own message and frames.
 * 3. No message is lost: one that was not sent stays, with the reason, and can be sent again.
 */
export interface ConversationState {
  /** Undefined until the first message is sent. */
  readonly chatId: string | undefined;
  readonly items: readonly Item[];
  readonly phase: 'loading' | 'idle' | 'running' | 'stopping';
  /** True while the page reconnects to a turn. */
  readonly isLost: boolean;
  /** The error message of a failed read or action. */
  readonly problem: string | undefined;
  /** True when the address names a chat that no longer exists. */
  readonly isMissing: boolean;
}

/** The open chat and the actions on it. */
export interface Conversation {
  readonly state: Store<ConversationState>;
  /** Sends a message and follows its turn; does nothing while a turn is running. */
  send(text: string, attachments?: readonly Attachment[]): Promise<void>;
  /** Sends the last message again, because it was not sent or to get another answer. */
  retry(): Promise<void>;
  /** Replaces the last message with `text`; the old message and its answer are deleted. */
  edit(text: string): Promise<void>;
  /** Drops the messages that were not sent. */
  discard(): void;
  /** Stops the answer, or cancels a message that waits for the network. */
  stop(): Promise<void>;
  /** Follows an answer again after its connection was lost for good. */
  resume(): Promise<void>;
  /** Decides a tool call; true when no other call waits for approval, so that the chat can continue. @throws ApiError */
  decide(frame: UiFrame, decision: Decision, args?: ToolArgs): Promise<boolean>;
  /** Opens a chat and follows its running turn, if any; undefined starts a new chat. */
  open(chatId: string | undefined): Promise<void>;
  /** Does the same as {@link open} after a reload, and restores a chat that only this tab has. */
  reopen(chatId: string | undefined): Promise<void>;
  /** Reads what another tab or device added to the chat. */
  refresh(): Promise<void>;
}

/** Options of `createConversation`. */
export interface ConversationOptions {
  readonly api: Api;
  /** True when the server stores chats; otherwise the tab does. */
  readonly isStored: boolean;
  readonly kept: KeptChats;
  readonly outbox: Outbox;
  readonly createId: () => string;
  readonly schedule: Schedule;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** Called when a turn of the chat has started or ended. */
  readonly onChange: (chatId: string) => void;
}

/** The state of a new chat, before its first message. */
export const NO_CHAT: ConversationState = {
  ...{ chatId: undefined, items: [], phase: 'idle', isLost: false, problem: undefined, isMissing: false },
};
