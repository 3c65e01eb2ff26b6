import type { Attachment, UiFrame } from '@berth/contract/agent';
import { createStore, type Store } from '@berth/ui/store';
import type { Api } from '../../../api/api.ts';
import { messageOf } from '../../../api/message-of.ts';
import type { Schedule } from '../../../store/schedule.ts';
import { createChatCalls, type Decision, isAmong, type ToolArgs } from './chat-calls.ts';
import { type ConversationState, loaded, NO_CHAT } from './conversation-state.ts';
import { followTurn } from './follow-turn.ts';
import {
  type AnswerFeedback,
  type AnswerItem,
  changeLastAnswer,
  decisionOn,
  EMPTY_ANSWER,
  type Item,
  itemsBefore,
  type QuestionItem,
  toItem,
  toMessage,
  UNSENT,
  withCard,
} from './items.ts';
import { createPaced } from './paced.ts';
import { postQuestion } from './post-question.ts';
import type { KeptChat, TabStorage, Unsent } from './tab-storage.ts';

/** Options of {@link createConversation}. */
export interface ConversationOptions {
  readonly api: Api;
  /** True when the server stores chats; otherwise the tab does. */
  readonly isStored: boolean;
  readonly kept: TabStorage<KeptChat>;
  readonly outbox: TabStorage<Unsent>;
  readonly createId: () => string;
  readonly schedule: Schedule;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** Called when a turn of the chat has started or ended. */
  readonly onChange: (chatId: string) => void;
}

/** The open chat and the actions on it. */
export type Conversation = ReturnType<typeof createConversation>;

/** Creates the conversation of this tab, with a new chat open. */
export function createConversation(options: ConversationOptions) {
  const { api, isStored, kept, outbox, createId, schedule, wait, onChange } = options;
  const calls = createChatCalls(api);
  const state = createStore<ConversationState>(NO_CHAT);
  /** Aborts the work for the open chat when another chat is opened. */
  let visit = new AbortController();
  /** Aborts the message that is being sent. */
  let sending = new AbortController();
  /** The first `count` items are as the server has them; `next` is the cursor for later ones. */
  let base: { readonly count: number; readonly next: number } | undefined;

  const isIdle = () => state.get().phase === 'idle';
  const setItems = (items: readonly Item[]) => state.patch({ items });
  const changeAnswer = (change: Partial<AnswerItem>) => setItems(changeLastAnswer(state.get().items, change));
  const addCard = (frame: UiFrame) => setItems(withCard(state.get().items, frame));
  const keep = () => {
    const { chatId, items } = state.get();
    if (!isStored && chatId !== undefined) kept.write({ id: chatId, items, isRunning: !isIdle() });
  };

  /** Follows the chat's turn; its parts go into the last answer if that is live, otherwise into a new answer. */
  const follow = async (chatId: string, response?: Response) => {
    const { signal } = visit;
    const last = state.get().items.findLast((item) => item.kind === 'answer');
    // An answer that goes on keeps what it has.
    const before = response === undefined && last?.isLive && isStored ? last.parts : EMPTY_ANSWER.parts;
    let read = () => before;
    const paced = createPaced(() => signal.aborted || changeAnswer({ parts: read() }), schedule);
    if (!last?.isLive) setItems([...state.get().items, { ...EMPTY_ANSWER, isLive: true }]);
    // The person may have pressed Stop before the turn started to answer.
    const isStopping = state.get().phase === 'stopping';
    state.patch({ phase: isStopping ? 'stopping' : 'running', isLost: false, isSettling: false });
    keep();
    let ending: Partial<AnswerItem> = {};
    try {
      const end = await followTurn(
        { api, chatId, response, before, signal, wait },
        {
          onGrown(parts) {
            read = parts;
            paced.mark();
          },
          onUi: (frame) => signal.aborted || addCard(frame),
          onStartOver: () => signal.aborted || changeAnswer({ cards: [] }),
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
    const isSettling = isStored && ending.problem === undefined && ending.ending === undefined;
    state.patch({ phase: 'idle', isLost: false, isSettling });
    keep();
    onChange(chatId);
    if (!isSettling) return;
    // The stored chat says how the turn ended and what was decided in the meantime.
    await refresh();
    if (!signal.aborted) state.patch({ isSettling: false });
  };

  const post = async (question: QuestionItem) => {
    const chatId = state.get().chatId ?? createId();
    sending = new AbortController();
    const signal = AbortSignal.any([visit.signal, sending.signal]);
    const leaving = visit.signal;
    const before = itemsBefore(state.get().items, question);
    if (question.replaces !== undefined) base = undefined;
    const count = before.filter(({ kind }) => kind === 'question').length;
    const keepUnsent = (unsent: QuestionItem | undefined) => {
      if (isStored)
        outbox.write(unsent && { question: unsent, before: count }, before.length === 0 ? undefined : chatId);
    };
    setItems([...before, question, { ...EMPTY_ANSWER, isLive: true }]);
    state.patch({ chatId, phase: 'running', problem: undefined, isMissing: false });
    keep();
    keepUnsent(question);
    let response: Response | undefined;
    try {
      response = await postQuestion({
        ...{ api, chatId, signal, wait, replaces: isStored ? question.replaces : undefined },
        messages: isStored ? [toMessage(question)] : [...before, question].map(toMessage),
        hasArrived: async () => (isStored ? await calls.hasArrived(chatId, question, count) : undefined),
        onWaiting: () => setItems([...before, { ...question, isWaiting: true }]),
      });
    } catch (error) {
      if (leaving.aborted) return;
      const unsent = { ...question, problem: sending.signal.aborted ? UNSENT : messageOf(error) };
      setItems([...before, unsent]);
      state.patch({ phase: 'idle' });
      keep();
      keepUnsent(unsent);
      // Another tab's turn may be running: it is shown, with this message below it.
      return await refresh();
    }
    keepUnsent(undefined);
    onChange(chatId);
    if (leaving.aborted) return;
    setItems([...before, question, { ...EMPTY_ANSWER, isLive: true }]);
    await follow(chatId, response);
  };

  /** Sends what `change` makes of a question, by default of the last one, in place of it and of everything after it. */
  const again = async (change: (question: QuestionItem) => QuestionItem, at?: number) => {
    const { items, chatId } = state.get();
    const index = at ?? items.findLastIndex(({ kind }) => kind === 'question');
    const question = items[index];
    if (!isIdle() || question?.kind !== 'question') return;
    state.patch({ phase: 'loading', problem: undefined });
    const { signal } = visit;
    try {
      const { problem, seq, versions: _, ...said } = question;
      const isNew = problem !== undefined || !isStored;
      // The number is missing when the chat could not be read after the message was sent.
      if (!isNew && chatId !== undefined && seq === undefined) await calls.takeBack(chatId, said.content);
      if (signal.aborted) return;
      base = undefined;
      setItems(items.slice(0, index));
      await post({ ...change(said), ...(!isNew && seq !== undefined && { replaces: seq }) });
    } catch (error) {
      if (!signal.aborted) state.patch({ phase: 'idle', problem: messageOf(error) });
    }
  };

  const leave = (chatId: string | undefined) => {
    visit.abort();
    visit = new AbortController();
    base = undefined;
    state.set({ ...NO_CHAT, chatId });
  };

  /** Returns the message that was being sent when the page was left, unless it is among `items`. */
  const unsentIn = (chatId: string | undefined, items: readonly Item[]): QuestionItem[] => {
    const unsent = outbox.read(chatId);
    if (!unsent) return [];
    const later = items.filter((item) => item.kind === 'question').slice(unsent.before);
    if (!isAmong(unsent.question, later)) return [{ problem: UNSENT, ...unsent.question }];
    outbox.write(undefined, chatId);
    return [];
  };

  const read = async (chatId: string, since?: number): Promise<void> => {
    const { signal } = visit;
    const from = base;
    const chat = await calls.find(chatId, { since, signal });
    const { items, phase } = state.get();
    if (signal.aborted || phase === 'running' || phase === 'stopping') return;
    // Another read has moved the cursor: items after the old one would appear twice.
    if (base !== from) return await read(chatId, base?.next);
    const isFirst = items.length === 0;
    if (!chat) return isFirst ? state.set({ ...NO_CHAT, isMissing: true, items: unsentIn(chatId, []) }) : undefined;
    const settled = since === undefined || chat.reset ? [] : items.slice(0, base?.count);
    const fresh = chat.messages.map(toItem);
    // A turn without a question continues the previous answer; a full read returns both as one message.
    if (settled.length > 0 && fresh[0]?.kind === 'answer') return await read(chatId);
    const arrived = since === undefined ? [] : fresh.filter((item) => item.kind === 'question');
    const all = [...settled, ...fresh];
    const unsent = isFirst
      ? unsentIn(chatId, all)
      : items.filter((item) => item.kind === 'question' && item.problem !== undefined && !isAmong(item, arrived));
    const [shown, now] = [items.findLast((item) => item.kind === 'answer'), all.at(-1)];
    base = { count: all.length, next: chat.next };
    // An answer that consists of cards only is not stored in the chat: keep the one on the page.
    const isAsked = now?.kind === 'question' && shown?.cards.length && items.at(-1) === shown && chat.run !== 'running';
    // Keep the cards while the waiting approvals are read: the person may be using one.
    const isSame = now?.kind === 'answer' && items.at(-1) === shown && items.length === all.length;
    if (isSame && shown) all.splice(-1, 1, { ...now, cards: shown.cards });
    // A message that another client's turn holds back stays below that turn.
    const isRunning = chat.run === 'running';
    // A turn without a message of the person goes on with the last answer.
    if (isRunning && now?.kind === 'answer') all.splice(-1, 1, { ...now, isLive: true });
    const live = isRunning && now?.kind !== 'answer' ? [{ ...EMPTY_ANSWER, isLive: true }] : [];
    state.patch({ items: [...all, ...(isAsked ? [shown] : []), ...live, ...unsent], phase: 'idle' });
    if (isRunning) return await follow(chatId);
    if (now?.kind !== 'answer') return;
    // The server knows the calls that wait for approval; other cards exist on this page only.
    const waiting = await calls.waiting(chatId, signal);
    if (signal.aborted || !isIdle()) return;
    const cards = (isSame && shown ? shown : now).cards.filter(({ action }) => action !== 'confirm');
    changeAnswer({ cards: [...cards, ...waiting] });
  };
  /** Reads what another tab or device added to the chat. Ignores errors: the next refresh reads the same messages. */
  const refresh = async () => {
    const { chatId } = state.get();
    if (isStored && chatId !== undefined && isIdle()) await read(chatId, base?.next).catch(() => undefined);
  };

  /** Opens a chat and follows its running turn, if any; undefined starts a new chat. */
  const open = async (chatId: string | undefined) => {
    leave(isStored ? chatId : undefined);
    kept.write(undefined);
    if (!isStored) return;
    if (chatId === undefined) return setItems(unsentIn(chatId, []));
    const { signal } = visit;
    state.patch({ phase: 'loading', isSettling: true });
    try {
      await read(chatId);
    } catch (error) {
      if (!signal.aborted) state.patch({ phase: 'idle', problem: messageOf(error) });
    }
    if (!signal.aborted) state.patch({ isSettling: false });
  };

  return {
    /** The state, which only the conversation changes. */
    state: state as Store<ConversationState>,
    open,
    refresh,
    /**
     * Waits for `work`, and until the chat is read. Returns true when a message can be sent then: no turn is running, and
     * no other chat was opened.
     */
    async readyAfter(work: Promise<unknown>): Promise<boolean> {
      const { signal } = visit;
      await work;
      if (!signal.aborted) await loaded(state);
      return !signal.aborted && isIdle();
    },
    /** Sends a message and follows its turn; does nothing while a turn is running. */
    async send(text: string, attachments: readonly Attachment[] = []) {
      const { signal } = visit;
      if (state.get().phase === 'loading') await loaded(state);
      if (!signal.aborted && isIdle()) await post({ kind: 'question', content: text, attachments });
    },
    /** Drops the messages that were not sent. */
    discard() {
      const { chatId, items } = state.get();
      const sent = items.filter((item) => item.kind === 'answer' || item.problem === undefined);
      outbox.write(undefined, sent.length === 0 ? undefined : chatId);
      setItems(sent);
      if (sent.length === 0) state.patch({ chatId: undefined });
      keep();
    },
    /** Follows an answer again after its connection was lost for good. */
    async resume() {
      const { chatId, items } = state.get();
      if (chatId === undefined || !isIdle()) return;
      if (isStored) return await refresh();
      // The tab has the only copy of what came before: it stays until the agent sends the answer again.
      const last = items.at(-1);
      const parts = last?.kind === 'answer' ? last.parts : [];
      setItems([...items.slice(0, -1), { ...EMPTY_ANSWER, parts, isLive: true }]);
      await follow(chatId);
    },
    /** Sends the last message again, because it was not sent or to get another answer. */
    retry: () => again((question) => question),
    /** Sends a new version of the message at `index`, by default of the last one. The earlier version is kept. */
    edit: (text: string, index?: number) => again((question) => ({ ...question, content: text }), index),
    /** Shows another version of a message, with what followed it. */
    async showVersion(seq: number) {
      const { chatId } = state.get();
      if (chatId === undefined || !isIdle()) return;
      const { signal } = visit;
      try {
        await calls.showVersion(chatId, seq);
        if (!signal.aborted) await read(chatId);
        onChange(chatId);
      } catch (error) {
        if (!signal.aborted) state.patch({ problem: messageOf(error) });
      }
    },
    /** Stores the person's feedback on an answer. @throws ApiError */
    async rate(seq: number, feedback: AnswerFeedback) {
      const { chatId } = state.get();
      if (chatId === undefined) return;
      await calls.rate(chatId, seq, feedback);
      setItems(
        state.get().items.map((item) => (item.kind === 'answer' && item.seq === seq ? { ...item, feedback } : item)),
      );
    },
    /** Does the same as `open` after a reload, and restores a chat that only this tab has. */
    async reopen(chatId: string | undefined) {
      const before = isStored ? undefined : kept.read();
      if (!before) return await open(chatId);
      leave(before.id);
      setItems(before.items);
      if (!before.isRunning) return;
      // The frames come again from the first one, and with them the cards.
      changeAnswer({ isLive: true, cards: [] });
      await follow(before.id);
    },
    /** Stops the answer, or cancels a message that waits for the network. */
    async stop() {
      const { chatId, phase } = state.get();
      if (chatId === undefined || phase !== 'running') return;
      const last = state.get().items.at(-1);
      if (last?.kind === 'question' && last.isWaiting) return sending.abort();
      state.patch({ phase: 'stopping' });
      try {
        // The turn has not started yet or has already ended: its stream will tell.
        if (!(await calls.stop(chatId)) && state.get().phase === 'stopping') state.patch({ phase: 'running' });
      } catch (error) {
        if (state.get().phase === 'stopping') state.patch({ phase: 'running', problem: messageOf(error) });
      }
    },
    /**
     * Continues the answer that waited for the connector of `frame`. Returns false when it can't: only a message continues the
     * chat then. @throws ApiError
     */
    async continueConnected(frame: UiFrame): Promise<boolean> {
      const { chatId } = state.get();
      const { signal } = visit;
      if (chatId === undefined || !isIdle() || !(await calls.continueAnswer(chatId))) return false;
      const last = state.get().items.at(-1);
      if (signal.aborted || last?.kind !== 'answer') return true;
      changeAnswer({ cards: last.cards.filter((card) => card !== frame), isLive: true });
      if (isIdle()) void follow(chatId);
      return true;
    },
    /** Decides a tool call, records the decision in the answer, and follows the answer when it continues. @throws ApiError */
    async decide(frame: UiFrame, decision: Decision, args?: ToolArgs): Promise<void> {
      const { chatId } = state.get();
      if (chatId === undefined) return;
      const { signal } = visit;
      const goesOn = await calls.decide(chatId, String(frame['key']), decision, args);
      const last = state.get().items.at(-1);
      if (signal.aborted || last?.kind !== 'answer') return;
      const cards = last.cards.filter((card) => card['key'] !== frame['key']);
      changeAnswer({
        cards,
        parts: [...last.parts, decisionOn(frame, decision, args !== undefined)],
        ...(goesOn && { isLive: true }),
      });
      keep();
      if (goesOn && isIdle()) void follow(chatId);
    },
  };
}
