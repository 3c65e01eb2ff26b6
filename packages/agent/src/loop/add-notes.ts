import type { ModelMessage } from '../models/model.ts';

/** Inserts notes before the text of the person's message. */
export function addNotes(
  messages: readonly ModelMessage[],
  notes: readonly string[] | undefined = [],
): readonly ModelMessage[] {
  if (notes.length === 0) return messages;
  const told = notes.map((text) => ({ type: 'text' as const, text }));
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: [...told, ...message.content] } : message,
  );
}
