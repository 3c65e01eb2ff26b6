import { createConversation } from '../features/conversation/state/create-conversation.ts';
import { answerText, questionText } from '../features/conversation/state/items.ts';
import { createKeptChats, createOutbox } from '../features/conversation/state/tab-storage.ts';
import { createStorage } from './create-storage.ts';
import { createFakeAgent } from './fake-agent.ts';

/** An answer without rows. */
export const NONE: unknown[] = [];
export const text = (value: string) => ({ type: 'text' as const, text: value });
export const user = (content: string) => ({ role: 'user' as const, content });
export const assistant = (content: string) => ({ role: 'assistant' as const, content, parts: [text(content)] });

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Opens a conversation with an agent whose answers the test gives. */
export function openConversation({ isStored = true, storage = createStorage() } = {}) {
  const agent = createFakeAgent();
  const changes: string[] = [];
  const conversation = createConversation({
    ...{ api: agent, isStored, kept: createKeptChats(storage), outbox: createOutbox(storage), createId: () => 'c1' },
    schedule(work) {
      queueMicrotask(work);
      return () => {};
    },
    wait: (_delayMs, signal) => Promise.race([agent.waitFor(), aborted(signal)]),
    onChange: (chatId) => void changes.push(chatId),
  });
  const said = () =>
    conversation.state.get().items.map((item) => {
      return item.kind === 'question' ? `> ${questionText(item)}` : answerText(item);
    });
  /** Waits until the state of the conversation matches. */
  const shows = (fits: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!fits()) return;
        stop();
        resolve();
      };
      const stop = conversation.state.subscribe(look);
      look();
    });
  return { agent, conversation, said, shows, changes, storage };
}
