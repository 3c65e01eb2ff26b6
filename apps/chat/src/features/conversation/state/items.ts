import type { Attachment, ChatMessage, DecisionPart, InputPart, Part, UiFrame } from '@berth/contract/agent';

/** An item of a conversation: a question of the person or an answer of the agent. */
export type Item = QuestionItem | AnswerItem;

/** A message of the person. */
export interface QuestionItem {
  readonly kind: 'question';
  readonly content: string | readonly InputPart[];
  readonly attachments: readonly Attachment[];
  /** Why the message was not sent, {@link UNSENT} when the reason is unknown; absent when it was sent. */
  readonly problem?: string;
  /** True while the message waits for a connection to the agent. */
  readonly isWaiting?: boolean;
  /** The message's number in the stored chat. */
  readonly seq?: number | undefined;
  /** The numbers of all versions of the message, when there are several. */
  readonly versions?: readonly number[] | undefined;
  /** The message that this one becomes a new version of; absent once the chat was read again. */
  readonly replaces?: number | undefined;
}

/** The person's feedback on an answer. */
export interface AnswerFeedback {
  readonly rating: 'up' | 'down' | null;
  readonly note: string;
}

/** The `problem` of a message that was not sent because the person left the page or stopped it. */
export const UNSENT = 'unsent';

/** How an incomplete answer ended; `lost` means that the page can no longer follow it. */
export type AnswerEnding = 'stopped' | 'interrupted' | 'failed' | 'lost';

/** An answer of the agent. */
export interface AnswerItem {
  readonly kind: 'answer';
  readonly parts: readonly Part[];
  /** The frames of its cards, which ask the person for something. */
  readonly cards: readonly UiFrame[];
  readonly isLive: boolean;
  readonly ending?: AnswerEnding;
  /** The error message of a failed turn. */
  readonly problem?: string;
  /** The answer's number in the stored chat. */
  readonly seq?: number | undefined;
  readonly feedback?: AnswerFeedback | undefined;
}

/** An answer without content that is not streaming. */
export const EMPTY_ANSWER: AnswerItem = { kind: 'answer', parts: [], cards: [], isLive: false };

/** A message of a stored or shared chat. */
export interface MessageLike {
  readonly role: string;
  readonly content: unknown;
  readonly parts?: readonly unknown[] | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly status?: 'stopped' | 'interrupted' | 'failed' | undefined;
  readonly seq?: number | undefined;
  readonly versions?: readonly number[] | undefined;
  readonly feedback?: AnswerFeedback | undefined;
}

/** Converts a stored or shared message to an item. */
export function toItem(message: MessageLike): Item {
  if (message.role === 'user') {
    return {
      kind: 'question',
      content: message.content as QuestionItem['content'],
      attachments: message.attachments ?? [],
      ...(message.seq !== undefined && { seq: message.seq }),
      ...(message.versions && { versions: message.versions }),
    };
  }
  const parts = (message.parts as readonly Part[] | undefined) ?? [{ type: 'text', text: String(message.content) }];
  const cards = parts.flatMap((part) => (part.type === 'card' ? [part.card] : []));
  const shown = parts.filter(({ type }) => type !== 'card');
  return {
    ...{ ...EMPTY_ANSWER, parts: shown, cards },
    ...(message.status && { ending: message.status }),
    ...(message.seq !== undefined && { seq: message.seq }),
    ...(message.feedback && { feedback: message.feedback }),
  };
}

/** Returns the text of a question, without its files. */
export function questionText({ content }: Pick<QuestionItem, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns true for an answer whose calls are decided while its agent, which cannot continue by itself, needs another message. */
export function isDecided({ parts, cards, isLive, ending }: AnswerItem): boolean {
  const last = parts.at(-1);
  const isDecision = last?.type === 'decision' && last.decision !== 'expired';
  return isDecision && !isLive && ending === undefined && !cards.some(({ action }) => action === 'confirm');
}

/** Returns the error message of a failed answer; undefined when the answer has none. */
export function failureOf({ parts, problem }: Pick<AnswerItem, 'parts' | 'problem'>): string | undefined {
  const last = parts.at(-1);
  return problem ?? (last?.type === 'callout' && last.style === 'error' ? last.callout : undefined);
}

/** Returns the parts of each answer. */
export function answerParts(items: readonly Item[]): readonly (readonly Part[])[] {
  return items.flatMap((item) => (item.kind === 'answer' ? [item.parts] : []));
}

/** Returns an answer as Markdown, to copy or to resend to an agent that stores no chats. */
export function answerText({ parts }: Pick<AnswerItem, 'parts'>): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'code') return `\n\n\`\`\`${part.language ?? ''}\n${part.code}\n\`\`\`\n\n`;
      if (part.type === 'callout') return `\n\n> ${part.callout}\n\n`;
      if (part.type !== 'table') return '';
      const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
      return `\n\n${line(part.headers)}${line(part.headers.map(() => '---'))}${part.rows.map(line).join('')}\n`;
    })
    .join('')
    .trim();
}

/** Converts an item to the message that is sent. Answers are sent, as text, only to an agent that stores no chats. */
export function toMessage(item: Item): Pick<ChatMessage, 'role' | 'content' | 'attachments'> {
  if (item.kind === 'answer') return { role: 'assistant', content: answerText(item) };
  const { content, attachments } = item;
  return {
    role: 'user',
    content: typeof content === 'string' ? content : [...content],
    ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
  };
}

/** Returns the items with `change` applied to the last answer, or unchanged when there is none. */
export function changeLastAnswer(items: readonly Item[], change: Partial<AnswerItem>): readonly Item[] {
  const index = items.findLastIndex(({ kind }) => kind === 'answer');
  const answer = items[index];
  return answer?.kind === 'answer' ? items.with(index, { ...answer, ...change }) : items;
}

/**
 * Returns the record of a decision until the stored chat is read, which names the person.
 * @param isEdited the person changed the arguments, so the label no longer says what the call does
 */
export function decisionOn(card: UiFrame, decision: DecisionPart['decision'], isEdited: boolean): DecisionPart {
  const { key, tool = '', label = tool } = card;
  const what = { tool: String(tool), ...(!isEdited && { label: String(label) }) };
  return { type: 'decision', key: String(key), ...what, decision, by: '', at: '' };
}

function suggestionsOf({ text, suggestions }: UiFrame): readonly unknown[] {
  return [...(text === undefined ? [] : [text]), ...(Array.isArray(suggestions) ? suggestions : [])];
}

/** Returns the items with a card added to the last answer; it replaces a card with the same `key`. */
export function withCard(items: readonly Item[], frame: UiFrame): readonly Item[] {
  const answer = items.findLast((item) => item.kind === 'answer');
  // Suggestions come one by one, and are shown together.
  const before = frame.action === 'suggest' && answer?.cards.findLast(({ action }) => action === 'suggest');
  if (answer && before) {
    const suggestions = [...suggestionsOf(before), ...suggestionsOf(frame)];
    const { text: _, ...card } = before;
    const cards = answer.cards.map((one): UiFrame => (one === before ? { ...card, suggestions } : one));
    return changeLastAnswer(items, { cards });
  }
  const others = (answer?.cards ?? []).filter((card) => card['key'] === undefined || card['key'] !== frame['key']);
  return changeLastAnswer(items, { cards: [...others, frame] });
}

/** Returns the sent items that stay above `question`: all of them, or those before the message that it replaces. */
export function itemsBefore(items: readonly Item[], { replaces }: QuestionItem): readonly Item[] {
  const sent = items.filter((item) => item.kind === 'answer' || item.problem === undefined);
  const at = sent.findIndex((item) => item.kind === 'question' && item.seq !== undefined && item.seq === replaces);
  return at < 0 ? sent : sent.slice(0, at);
}
