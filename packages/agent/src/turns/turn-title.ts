import { AGENT_LIMITS, type ChatMessage } from '@berth/contract/agent';

/** The title of a chat that begins with `message`: its first text cut to 80 characters, else the name of its first file. */
export function turnTitle({ content, attachments }: Pick<ChatMessage, 'content' | 'attachments'>): string {
  const text = typeof content === 'string' ? content : (content.find((part) => part.type === 'text')?.text ?? '');
  // By code points, so that no character is cut in two; twice the units hold enough of them.
  const title = [...text.slice(0, 2 * AGENT_LIMITS.titleCharacters)].slice(0, AGENT_LIMITS.titleCharacters).join('');
  return title === '' ? (attachments?.[0]?.name ?? '').slice(0, AGENT_LIMITS.titleCharacters) : title;
}
