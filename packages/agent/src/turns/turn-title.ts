import { AGENT_LIMITS, type ChatMessage } from '@berth/contract/agent';

/** Returns the title of a chat that starts with `message`: its text cut to 80 characters, else the name of its first file. */
export function turnTitle({ content, attachments }: Pick<ChatMessage, 'content' | 'attachments'>): string {
  const text = typeof content === 'string' ? content : (content.find((part) => part.type === 'text')?.text ?? '');
  // Counting code points keeps characters whole; twice the units hold enough of them.
  const title = [...text.slice(0, 2 * AGENT_LIMITS.titleCharacters)].slice(0, AGENT_LIMITS.titleCharacters).join('');
  return title === '' ? (attachments?.[0]?.name ?? '').slice(0, AGENT_LIMITS.titleCharacters) : title;
}
