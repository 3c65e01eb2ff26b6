import type { ChatList } from './chat-list.ts';

/** Pauses between readings of the list: most models write a title within seconds. */
const PAUSES_MS = [1_500, 3_000, 6_000, 12_000];

/** Reads the list until the agent has given a new chat another title than its first message, at most four times. */
export async function awaitTitle(
  { state, refresh }: Pick<ChatList, 'state' | 'refresh'>,
  chatId: string,
  wait: (delayMs: number) => Promise<void>,
): Promise<void> {
  const title = () => state.get().chats.find(({ id }) => id === chatId)?.title;
  const first = title();
  for (const pauseMs of PAUSES_MS) {
    await wait(pauseMs);
    await refresh();
    if (title() !== first) return;
  }
}
