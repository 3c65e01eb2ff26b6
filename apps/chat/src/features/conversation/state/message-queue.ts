import type { Attachment } from '@berth/contract/agent';
import { createStore, type Store } from '@berth/ui/store';
import type { Conversation } from './create-conversation.ts';
import type { QueuedMessage, TabStorage } from './tab-storage.ts';

/** The messages that the person wrote while the agent was responding, in order. */
export type MessageQueue = ReturnType<typeof createMessageQueue>;

/** Options of {@link createMessageQueue}. */
export interface MessageQueueOptions {
  readonly conversation: Pick<Conversation, 'state' | 'send'>;
  readonly storage: TabStorage<readonly QueuedMessage[]>;
  readonly createId: () => string;
}

/**
 * Creates the queue of the open chat. It is kept for each chat, also over a reload. When an answer is complete, even one that was
 * completed while the page was closed, the first message is sent; after an answer that was stopped, failed or asks for something,
 * the messages wait for the person.
 */
export function createMessageQueue({ conversation, storage, createId }: MessageQueueOptions) {
  const state = createStore<readonly QueuedMessage[]>([]);
  let shown: string | undefined;
  let isBusy = false;
  const set = (queue: readonly QueuedMessage[]) => {
    state.set(queue);
    if (shown !== undefined) storage.write(queue.length === 0 ? undefined : queue, shown);
  };
  const take = (id: string): QueuedMessage | undefined => {
    const message = state.get().find((one) => one.id === id);
    set(state.get().filter((one) => one.id !== id));
    return message;
  };
  const send = async (id: string) => {
    if (conversation.state.get().phase !== 'idle') return;
    const message = take(id);
    if (message) await conversation.send(message.text, message.attachments);
  };
  const sendNext = () => {
    const { items, problem } = conversation.state.get();
    const [last, next] = [items.at(-1), state.get()[0]];
    const isComplete =
      last?.kind === 'answer' && !last.isLive && !last.ending && last.problem === undefined && last.cards.length === 0;
    if (next && isComplete && problem === undefined) void send(next.id);
  };
  conversation.state.subscribe(() => {
    const wasBusy = isBusy;
    const { chatId, phase, isSettling } = conversation.state.get();
    // Until the stored chat is read, nobody knows how the turn ended.
    isBusy = phase !== 'idle' || isSettling;
    if (chatId !== shown) {
      shown = chatId;
      state.set((chatId !== undefined && storage.read(chatId)) || []);
    } else if (wasBusy && !isBusy) sendNext();
  });
  return {
    state: state as Store<readonly QueuedMessage[]>,
    add: (text: string, attachments: readonly Attachment[]) =>
      set([...state.get(), { id: createId(), text, attachments }]),
    /** Removes a message and returns it, for example to edit it. */
    take,
    /** Sends a message now, unless the agent is responding. */
    send,
  };
}
