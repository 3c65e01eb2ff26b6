import type { Attachment, UiFrame } from '@berth/contract/agent';
import { type Api, ApiError } from '../api.ts';
import { createStore, type Store } from '../store.ts';
import { beginTurn } from './begin-turn.ts';
import { createChatCalls, type Decision, type ToolArgs } from './chat-calls.ts';
import { followTurn } from './follow-turn.ts';
import {
  type AnswerItem,
  changeLastAnswer,
  EMPTY_ANSWER,
  type Item,
  messageOf,
  type QuestionItem,
  toItem,
  toMessage,
  withCard,
} from './items.ts';
import type { KeptChats } from './kept-chat.ts';
import { createPaced, type Schedule } from './paced.ts';

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
  stop(): Promise<void>;
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
  readonly createId: () => string;
  readonly schedule: Schedule;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** A turn began or ended in the chat. */
  readonly onChange: (chatId: string) => void;
}

const START: ConversationState = {
  ...{ chatId: undefined, items: [], phase: 'idle', isLost: false, problem: undefined, isMissing: false },
};

export function createConversation(options: ConversationOptions): Conversation {
  const { api, isStored, kept, createId, schedule, wait, onChange } = options;
  const calls = createChatCalls(api);
  const state = createStore<ConversationState>(START);
  /** Ends what was begun for the chat that is open. */
  let visit = new AbortController();
  /** So many items are as the server has them; `next` is its cursor for what comes after. */
  let base: { readonly count: number; readonly next: string } | undefined;

  const isIdle = () => state.get().phase === 'idle';
  const setItems = (items: readonly Item[]) => state.patch({ items });
  const changeAnswer = (change: Partial<AnswerItem>) => setItems(changeLastAnswer(state.get().items, change));
  const addCard = (frame: UiFrame) => setItems(withCard(state.get().items, frame));
  const keep = () => {
    const { chatId, items } = state.get();
    if (!isStored && chatId !== undefined) kept.write({ id: chatId, items, isRunning: !isIdle() });
  };

  /** Follows the chat's turn into the answer that is open at the end, else into a new one. */
  const follow = async (chatId: string, response?: Response) => {
    const { signal } = visit;
    let read = () => EMPTY_ANSWER.parts;
    const paced = createPaced(() => signal.aborted || changeAnswer({ parts: read() }), schedule);
    const last = state.get().items.at(-1);
    if (last?.kind !== 'answer' || !last.isLive) setItems([...state.get().items, { ...EMPTY_ANSWER, isLive: true }]);
    // Stop may have been pressed before the turn had begun to answer.
    state.patch({ phase: state.get().phase === 'stopping' ? 'stopping' : 'running', isLost: false });
    keep();
    let ending: Partial<AnswerItem> = {};
    try {
      const end = await followTurn(
        { api, chatId, response, signal, wait },
        {
          onGrown(parts) {
            read = parts;
            paced.mark();
          },
          onUi: (frame) => signal.aborted || addCard(frame),
          onLost: (isLost) => signal.aborted || state.patch({ isLost }),
        },
      );
      if (end === 'lost' || (end === 'gone' && !isStored)) ending = { ending: 'lost' };
    } catch (error) {
      ending = { problem: messageOf(error) };
    }
    if (signal.aborted) return;
    paced.finish();
    changeAnswer({ isLive: false, ...ending });
    state.patch({ phase: 'idle', isLost: false });
    keep();
    onChange(chatId);
    // How it ended, and what was decided meanwhile, is in the chat.
    if (ending.problem === undefined && ending.ending === undefined) await refresh();
  };

  const post = async (question: QuestionItem) => {
    const chatId = state.get().chatId ?? createId();
    const { signal } = visit;
    const before = state.get().items.filter((item) => item.kind === 'answer' || item.problem === undefined);
    setItems([...before, question, { ...EMPTY_ANSWER, isLive: true }]);
    state.patch({ chatId, phase: 'running', problem: undefined, isMissing: false });
    keep();
    let response: Response | undefined;
    try {
      const messages = isStored ? [toMessage(question)] : [...before, question].map(toMessage);
      response = await beginTurn({ api, chatId, messages, signal, wait });
    } catch (error) {
      if (signal.aborted) return;
      const isUnknown = isStored && !(error instanceof ApiError);
      if (!isUnknown || !(await calls.hasArrived(chatId, question))) {
        setItems([...before, { ...question, problem: messageOf(error) }]);
        state.patch({ phase: 'idle' });
        keep();
        // Another tab's turn, perhaps: it is shown, and this message waits below it.
        return await refresh();
      }
    }
    onChange(chatId);
    await follow(chatId, response);
  };

  /** Takes back the last question and all after it, and says what `change` makes of it. */
  const again = async (change: (question: QuestionItem) => QuestionItem) => {
    const { items, chatId } = state.get();
    const index = items.findLastIndex(({ kind }) => kind === 'question');
    const question = items[index];
    if (!isIdle() || question?.kind !== 'question') return;
    state.patch({ phase: 'loading', problem: undefined });
    const { signal } = visit;
    try {
      const { problem, ...said } = question;
      if (isStored && chatId !== undefined && problem === undefined) await calls.takeBack(chatId, said.content);
      if (signal.aborted) return;
      base = undefined;
      setItems(items.slice(0, index));
      await post(change(said));
    } catch (error) {
      if (!signal.aborted) state.patch({ phase: 'idle', problem: messageOf(error) });
    }
  };

  const leave = (chatId: string | undefined) => {
    visit.abort();
    visit = new AbortController();
    base = undefined;
    state.set({ ...START, chatId });
  };

  const read = async (chatId: string, since?: string): Promise<void> => {
    const { signal } = visit;
    const from = base;
    const chat = await calls.find(chatId, { since, signal });
    const { items, phase } = state.get();
    if (signal.aborted || phase === 'running' || phase === 'stopping') return;
    // Another reading was quicker: what follows the old cursor would be there twice.
    if (base !== from) return await read(chatId, base?.next);
    if (!chat) return items.length === 0 ? state.set({ ...START, isMissing: true }) : undefined;
    const settled = since === undefined || chat.reset ? [] : items.slice(0, base?.count);
    const fresh = chat.messages.map(toItem);
    // A turn that nobody asked for goes on with the answer before it: they read as one.
    if (settled.length > 0 && fresh[0]?.kind === 'answer') return await read(chatId);
    const unsent = items.filter((item) => item.kind === 'question' && item.problem !== undefined);
    const all = [...settled, ...fresh];
    const [shown, now] = [items.findLast((item) => item.kind === 'answer'), all.at(-1)];
    base = { count: all.length, next: chat.next };
    // An answer that only asked something is not in the chat: it stays where it was.
    const isAsked = now?.kind === 'question' && shown?.cards.length && items.at(-1) === shown && !chat.open;
    // What it asked stays while it is found out what waits still: somebody may be answering it.
    const isSame = now?.kind === 'answer' && items.at(-1) === shown && items.length === all.length;
    if (isSame && shown) all.splice(-1, 1, { ...now, cards: shown.cards });
    state.patch({ items: [...all, ...(isAsked ? [shown] : []), ...(chat.open ? [] : unsent)], phase: 'idle' });
    if (chat.open) return await follow(chatId);
    if (now?.kind !== 'answer') return;
    // Questions that the agent asked are not in the chat; calls that wait for a decision are known to the server.
    const waiting = await calls.waiting(chatId, signal);
    if (signal.aborted || !isIdle()) return;
    const cards = (shown?.cards ?? []).filter(({ action }) => action !== 'confirm');
    const confirms = waiting.map((call): UiFrame => ({ ...call, type: 'ui', action: 'confirm' }));
    changeAnswer({ cards: [...cards, ...confirms] });
  };
  /** What can't be read now is read the next time. */
  const refresh = async () => {
    const { chatId } = state.get();
    if (isStored && chatId !== undefined && isIdle()) await read(chatId, base?.next).catch(() => undefined);
  };

  const open = async (chatId: string | undefined) => {
    leave(isStored ? chatId : undefined);
    kept.write(undefined);
    if (chatId === undefined || !isStored) return;
    state.patch({ phase: 'loading' });
    const { signal } = visit;
    try {
      await read(chatId);
    } catch (error) {
      if (!signal.aborted) state.patch({ phase: 'idle', problem: messageOf(error) });
    }
  };

  return {
    ...{ state, open, refresh },
    async send(text, attachments = []) {
      if (isIdle()) await post({ kind: 'question', content: text, attachments });
    },
    retry: () => again((question) => question),
    edit: (text) => again((question) => ({ ...question, content: text })),
    async reopen(chatId) {
      const before = isStored ? undefined : kept.read();
      if (!before) return await open(chatId);
      leave(before.id);
      setItems(before.items);
      if (!before.isRunning) return;
      changeAnswer({ isLive: true });
      await follow(before.id);
    },
    async stop() {
      const { chatId, phase } = state.get();
      if (chatId === undefined || phase !== 'running') return;
      state.patch({ phase: 'stopping' });
      try {
        // Nothing runs yet, or any more: then its stream tells.
        if (!(await calls.stop(chatId)) && state.get().phase === 'stopping') state.patch({ phase: 'running' });
      } catch (error) {
        if (state.get().phase === 'stopping') state.patch({ phase: 'running', problem: messageOf(error) });
      }
    },
    async decide(frame, decision, args) {
      const { chatId } = state.get();
      if (chatId === undefined) return false;
      const { signal } = visit;
      await calls.decide(chatId, String(frame['key']), decision, args);
      const last = state.get().items.at(-1);
      if (signal.aborted || last?.kind !== 'answer') return false;
      const cards = last.cards.filter((card) => card['key'] !== frame['key']);
      changeAnswer({ cards });
      keep();
      return !cards.some(({ action }) => action === 'confirm');
    },
  };
}
