import type { QuestionItem } from './items.ts';

/**
 * Returns the hexadecimal SHA-256 of a message's text, or of its parts as JSON. It identifies the message when the last
 * exchange is deleted. Source: docs/contract/agent-api.md §4.
 */
export async function contentHash(content: QuestionItem['content']): Promise<string> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
