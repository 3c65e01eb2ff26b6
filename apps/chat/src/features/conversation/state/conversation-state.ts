import type { Store } from '@berth/ui/store';
import type { Item } from './items.ts';

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
  /** True while the stored chat is read, after a turn and on opening: it tells how the turn ended and what waits. */
  readonly isSettling: boolean;
  /** The error message of a failed read or action. */
  readonly problem: string | undefined;
  /** True when the address names a chat that no longer exists. */
  readonly isMissing: boolean;
}

/** The state of a new chat, before its first message. */
export const NO_CHAT: ConversationState = {
  ...{ chatId: undefined, items: [], phase: 'idle', isLost: false, isSettling: false, problem: undefined },
  isMissing: false,
};

/** Waits until the chat is loaded: a person who types fast sends a message before that. */
export function loaded(state: Store<ConversationState>): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (state.get().phase === 'loading') return;
      stop();
      resolve();
    };
    const stop = state.subscribe(look);
    look();
  });
}
