import type { Attachment, UiFrame } from '@berth/contract/agent';
import type { Api } from '../../../api/api.ts';
import type { Store } from '../../../store/store.ts';
import type { Decision, ToolArgs } from './chat-calls.ts';
import type { Item } from './items.ts';
import type { KeptChats } from './kept-chat.ts';
import type { Outbox } from './outbox.ts';
import type { Schedule } from './paced.ts';

/**
 * The chat that is open. Invariants:
 * 1. One turn is followed at a time; opening another chat leaves the one that ran to run on its own.
 * 2. What is shown is what the server has up to `base`, and after it what this page knows first: its own message, and frames.
 * 3. Nothing that was typed is lost: a message that did not get through stays, with the reason, and can be sent again.
 */
export interface ConversationState {
  /** Undefined until the first message is sent. */
  readonly chatId: string | undefined;
  readonly items: readonly Item[];
  readonly phase: 'loading' | 'idle' | 'running' | 'stopping';
  /** True while the connection of a turn is being made again. */
  readonly isLost: boolean;
  /** Why the chat could not be read, or what was asked could not be done. */
  readonly problem: string | undefined;
  /** True for an address whose chat is not there any more. */
  readonly isMissing: boolean;
}

export interface Conversation {
  readonly state: Store<ConversationState>;
  send(text: string, attachments?: readonly Attachment[]): Promise<void>;
  /** Sends the last message again: one that did not get through, or for another answer. */
  retry(): Promise<void>;
  /** Says the last message otherwise: it and its answer are taken back. */
  edit(text: string): Promise<void>;
  /** Drops the messages that did not get through. */
  discard(): void;
  /** Ends the answer, or the waiting of a message for the network. */
  stop(): Promise<void>;
  /** Takes up an answer whose connection did not come back. */
  resume(): Promise<void>;
  /** Decides a call that asked; true when none waits any more, so that the chat can go on. @throws ApiError */
  decide(frame: UiFrame, decision: Decision, args?: ToolArgs): Promise<boolean>;
  /** Opens a chat and takes up its turn where one runs; undefined begins a new one. */
  open(chatId: string | undefined): Promise<void>;
  /** As {@link open}, for what this tab had before a reload. */
  reopen(chatId: string | undefined): Promise<void>;
  /** Reads what came to the chat elsewhere: from another tab or device. */
  refresh(): Promise<void>;
}

export interface ConversationOptions {
  readonly api: Api;
  /** Whether the server keeps chats; else the tab does. */
  readonly isStored: boolean;
  readonly kept: KeptChats;
  readonly outbox: Outbox;
  readonly createId: () => string;
  readonly schedule: Schedule;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** A turn began or ended in the chat. */
  readonly onChange: (chatId: string) => void;
}

/** Before the first message. */
export const NO_CHAT: ConversationState = {
  ...{ chatId: undefined, items: [], phase: 'idle', isLost: false, problem: undefined, isMissing: false },
};
