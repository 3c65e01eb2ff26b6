import type { QuestionItem } from './items.ts';

/** Names a message when the last exchange is taken back: hexadecimal SHA-256 of its text, or of its parts as JSON. Source: docs/contract/agent-api.md §4. */
export async function contentHash(content: QuestionItem['content']): Promise<string> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
