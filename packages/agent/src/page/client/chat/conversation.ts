import type { Attachment, Chat, ChatMessage, Part, UiFrame, WaitingApproval } from '@berth/contract/agent';
import { type Api, ApiError } from '../api.ts';
import { element } from '../element.ts';
import type { Media } from '../media.ts';
import { beginTurn } from './begin-turn.ts';
import type { Decision } from './confirm-card.ts';
import { type KeptChat, keepChat, readKeptChat } from './kept-chat.ts';
import { type AnswerView, createAnswerView, renderQuestion } from './message-view.ts';
import { renderUi } from './render-ui.ts';
import { showTurn } from './show-turn.ts';

/** The chat that is open on the page. */
export interface Conversation {
  readonly node: HTMLElement;
  /** Undefined until the server gave one. */
  readonly chatId: string | undefined;
  send(text: string, attachments: readonly Attachment[]): Promise<void>;
  /** Ends the turn that runs; the connection that follows it shows how. */
  stop(): Promise<void>;
  /** Opens a chat, and takes up its turn where one runs; undefined for a new one. */
  open(chatId: string | undefined): Promise<void>;
  /** As {@link open}, for what this tab had before a reload. */
  reopen(chatId: string | undefined): Promise<void>;
}

export interface ConversationOptions {
  readonly api: Api;
  readonly media: Media;
  /** Whether the server keeps chats; else this page does, for the tab. */
  readonly isStored: boolean;
  /** Shown where there is nothing yet. */
  readonly welcome: () => HTMLElement;
  readonly onRunning: (isRunning: boolean) => void;
  /** Its id was given, or its title may have changed. */
  readonly onChange: () => void;
  /** Says something to people who don't see the page. */
  readonly announce: (text: string) => void;
}

const ENDINGS: Readonly<Record<string, string>> = {
  stopped: 'Stopped.',
  interrupted: 'Interrupted: the agent went away while it answered.',
  failed: 'This answer failed.',
};

/** Pixels from the end of the page within which it goes along with an answer. */
const NEAR_END = 160;

/** Shows a chat and lets it go on. One turn is followed at a time; opening another chat leaves it to run on its own. */
export function createConversation(options: ConversationOptions): Conversation {
  const { api, media, isStored, welcome, onRunning, onChange, announce } = options;
  const node = element('div', { class: 'messages' });
  let chatId: string | undefined;
  let kept: KeptChat['messages'] = [];
  let following: AbortController | undefined;
  /** Questions that wait for a decision: the chat goes on when each has one. */
  let undecided: readonly UiFrame[] = [];

  const path = (rest = '') => `/chats/${encodeURIComponent(chatId ?? '')}${rest}`;
  const scrollDown = (isForced = false) => {
    const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
    if (isForced || scrollHeight - scrollTop - clientHeight < NEAR_END) scrollTo({ top: scrollHeight });
  };
  const keep = (isRunning: boolean) => {
    if (!isStored) keepChat({ id: chatId, messages: kept, isRunning, undecided });
  };
  const addQuestion = (message: Pick<ChatMessage, 'content' | 'attachments'>) => {
    if (node.querySelector('.message') === null) node.replaceChildren();
    node.append(renderQuestion(message, media));
  };
  const addAnswer = (): AnswerView => {
    const answer = createAnswerView(media);
    node.append(answer.node);
    return answer;
  };

  const setUndecided = (frames: readonly UiFrame[]) => {
    undecided = frames;
    keep(following !== undefined);
  };
  const decide = async (frame: UiFrame, decision: Decision) => {
    await api.sendJson('POST', path(`/approvals/${encodeURIComponent(String(frame['key']))}`), { decision });
    setUndecided(undecided.filter((one) => one['key'] !== frame['key']));
    if (undecided.length === 0) void send(decision === 'deny' ? "Don't do that." : 'Go on.', []);
  };
  const addCard = (answer: AnswerView, frame: UiFrame) => {
    const card = renderUi(frame, media, { api, send: (text) => void send(text, []), decide });
    if (!card) return;
    if (frame.action === 'confirm') setUndecided([...undecided.filter((one) => one['key'] !== frame['key']), frame]);
    answer.ask(card);
    scrollDown();
  };

  const follow = async (answer: AnswerView, response?: Response) => {
    const leave = new AbortController();
    following = leave;
    let shown: readonly Part[] = [];
    onRunning(true);
    keep(true);
    try {
      const { end, parts } = await showTurn({
        ...{ api, answer, chatId: chatId ?? '', response, signal: leave.signal },
        onChat(id) {
          if (chatId === id) return;
          chatId = id;
          keep(true);
          onChange();
        },
        onUi: (frame) => addCard(answer, frame),
        onGrown: () => scrollDown(),
      });
      shown = parts;
      if (end === 'lost') answer.note('The connection did not come back. Reload the page to see the rest.');
      if (end === 'gone' && isStored) await open(chatId);
      announce(parts.length > 0 ? 'The answer is there.' : 'The turn ended without an answer.');
    } catch (error) {
      if (!leave.signal.aborted)
        answer.note(error instanceof Error ? error.message : 'The turn could not be followed.');
    } finally {
      if (following === leave) {
        following = undefined;
        kept = [...kept, { role: 'assistant', content: textOf(shown), parts: [...shown] }];
        keep(false);
        onRunning(false);
        onChange();
      }
    }
  };

  const send = async (text: string, attachments: readonly Attachment[]) => {
    if (following) return;
    setUndecided([]);
    const message = {
      role: 'user' as const,
      content: text,
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
    };
    addQuestion(message);
    const answer = addAnswer();
    scrollDown(true);
    announce('Sent. The agent is answering.');
    kept = [...kept, message];
    onRunning(true);
    try {
      const messages = isStored ? [message] : kept.map(({ role, content }) => ({ role, content }));
      await follow(answer, await beginTurn(api, chatId, messages));
    } catch (error) {
      onRunning(false);
      const isBusy = error instanceof ApiError && error.status === 409;
      // Another tab's: it is shown, and the person says again what did not get through.
      answer.note(isBusy ? 'Not sent: the agent is still answering in this chat.' : String((error as Error).message));
      if (isBusy) await follow(addAnswer());
    }
  };

  /** @returns the last answer. */
  const show = (messages: readonly Pick<Chat['messages'][number], 'role' | 'content' | 'parts' | 'status'>[]) => {
    let answer: AnswerView | undefined;
    for (const message of messages) {
      if (message.role === 'user') addQuestion(message);
      else {
        answer = addAnswer();
        answer.show(
          (message.parts as readonly Part[] | undefined) ?? [{ type: 'text', text: String(message.content) }],
        );
        if (message.status) answer.note(ENDINGS[message.status] ?? '');
      }
    }
    if (messages.length === 0) node.append(welcome());
    scrollDown(true);
    return answer;
  };

  const leave = (id: string | undefined) => {
    following?.abort();
    following = undefined;
    onRunning(false);
    undecided = [];
    chatId = id;
    kept = [];
    node.replaceChildren();
  };

  const open = async (id: string | undefined) => {
    leave(id);
    keepChat(undefined);
    if (id === undefined || !isStored) {
      node.append(welcome());
      return;
    }
    const response = await api.send(path());
    // Another one was opened meanwhile.
    if (chatId !== id) return;
    if (response.status === 204) {
      chatId = undefined;
      node.append(welcome(), element('p', { class: 'hint' }, 'That chat is not there any more.'));
      return;
    }
    const chat = (await response.json()) as Chat;
    const last = show(chat.messages);
    if (chat.open) void follow(addAnswer());
    else if (chat.messages.at(-1)?.role === 'assistant') {
      const waiting = await api.json<WaitingApproval[]>(path('/approvals'));
      if (chatId === id)
        for (const call of waiting) addCard(last ?? addAnswer(), { ...call, type: 'ui', action: 'confirm' });
    }
  };

  return {
    node,
    get chatId() {
      return chatId;
    },
    send,
    open,
    async reopen(id) {
      const before = isStored ? undefined : readKeptChat();
      if (!before || before.id === undefined) return open(id);
      leave(before.id);
      kept = before.messages;
      const last = show(kept as Chat['messages']);
      if (before.isRunning) void follow(addAnswer());
      else for (const frame of before.undecided) addCard(last ?? addAnswer(), frame);
    },
    async stop() {
      if (chatId === undefined || !following) return;
      try {
        await api.send(path('/stop'), { method: 'POST' });
        announce('Stopping.');
      } catch (error) {
        // It ended by itself in between.
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
      }
    },
  };
}

/** What an agent that keeps nothing is told again of its own answer. */
function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : part.type === 'code' ? part.code : '')).join('');
}
