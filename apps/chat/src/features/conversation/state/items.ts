import type { Attachment, ChatMessage, InputPart, Part, UiFrame } from '@berth/contract/agent';

/** What stands in a conversation, from top to bottom. */
export type Item = QuestionItem | AnswerItem;

/** What the person said. */
export interface QuestionItem {
  readonly kind: 'question';
  readonly content: string | readonly InputPart[];
  readonly attachments: readonly Attachment[];
  /** Why it did not get to the agent, {@link UNSENT} where nobody knows; absent when it did. */
  readonly problem?: string;
  /** It is on its way, and there is no way to the agent now. */
  readonly isWaiting?: boolean;
}

/** The page was left, or the person stopped, before a message got through. */
export const UNSENT = 'unsent';

/** How an answer ended that did not end well; `lost`: the page can't follow it any more. */
export type AnswerEnding = 'stopped' | 'interrupted' | 'failed' | 'lost';

/** What the agent said. */
export interface AnswerItem {
  readonly kind: 'answer';
  readonly parts: readonly Part[];
  /** What it asks of the person, beside its parts. */
  readonly cards: readonly UiFrame[];
  readonly isLive: boolean;
  readonly ending?: AnswerEnding;
  /** What went wrong, in words. */
  readonly problem?: string;
}

export const EMPTY_ANSWER: AnswerItem = { kind: 'answer', parts: [], cards: [], isLive: false };

/** Messages as they are stored or shared. */
export interface MessageLike {
  readonly role: string;
  readonly content: unknown;
  readonly parts?: readonly unknown[] | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly status?: 'stopped' | 'interrupted' | 'failed' | undefined;
}

export function toItem(message: MessageLike): Item {
  if (message.role === 'user') {
    return {
      kind: 'question',
      content: message.content as QuestionItem['content'],
      attachments: message.attachments ?? [],
    };
  }
  const parts = (message.parts as readonly Part[] | undefined) ?? [{ type: 'text', text: String(message.content) }];
  return { ...EMPTY_ANSWER, parts, ...(message.status ? { ending: message.status } : {}) };
}

/** The words of a question, without its files. */
export function questionText({ content }: Pick<QuestionItem, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** An answer as text to copy, and to tell again to an agent that keeps nothing. */
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

/** As it is sent. Of an answer only an agent that keeps nothing is told, in words. */
export function toMessage(item: Item): Pick<ChatMessage, 'role' | 'content' | 'attachments'> {
  if (item.kind === 'answer') return { role: 'assistant', content: answerText(item) };
  const { content, attachments } = item;
  return {
    role: 'user',
    content: typeof content === 'string' ? content : [...content],
    ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
  };
}

/** The items with the answer at their end changed; as they are when there is none. */
export function changeLastAnswer(items: readonly Item[], change: Partial<AnswerItem>): readonly Item[] {
  const index = items.findLastIndex(({ kind }) => kind === 'answer');
  const answer = items[index];
  return answer?.kind === 'answer' ? items.with(index, { ...answer, ...change }) : items;
}

/** The items with what the agent asks at the last answer; one that asks the same takes its place. */
export function withCard(items: readonly Item[], frame: UiFrame): readonly Item[] {
  const answer = items.findLast((item) => item.kind === 'answer');
  const others = (answer?.cards ?? []).filter((card) => card['key'] === undefined || card['key'] !== frame['key']);
  return changeLastAnswer(items, { cards: [...others, frame] });
}
