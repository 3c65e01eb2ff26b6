import type { ToolFiles, TurnMessage } from '@berth/agent-core';
import type { ModelMessage, UserContent } from '../models/model.ts';
import { createAttachmentReader } from './read-attachment.ts';
import { stepMessages } from './step-messages.ts';

/** The first line of the internal message that replaces everything before it. */
export const SUMMARY_HEAD = 'Summary of the conversation before this message:\n';

const NOTES = {
  stopped: 'The person stopped your answer above before it was complete. Do not go on with it unless asked to.',
  interrupted: 'Your answer above was cut off before it was complete.',
  failed: 'Your answer above failed before it was complete.',
} as const;

/** Returns the conversation as messages for a model: all of it, or its summary and what followed. */
export async function buildHistory(
  messages: readonly TurnMessage[],
  files: ToolFiles | undefined,
): Promise<readonly ModelMessage[]> {
  const summary = messages.findLastIndex((one) => one.isInternal && textOf(one).startsWith(SUMMARY_HEAD));
  const first = summary === -1 ? 0 : messages.findLastIndex((one, index) => index < summary && one.role === 'user');
  const read = createAttachmentReader(files);
  const out: ModelMessage[] = [];
  let notes: UserContent[] = [];
  if (summary !== -1) notes.push({ type: 'text', text: textOf(messages[summary] as TurnMessage) });
  // Newest first, so that the oldest attachments are the ones left out.
  const contents = new Map<number, readonly UserContent[]>();
  for (let index = messages.length - 1; index >= Math.max(0, first); index--) {
    const message = messages[index] as TurnMessage;
    if (message.role === 'user') contents.set(index, await read(message));
  }
  for (const [index, message] of messages.entries()) {
    if (index < first || index === summary) continue;
    if (message.role === 'assistant') {
      out.push(...stepMessages(message.parts ?? [{ type: 'text', text: textOf(message) }], String(index)));
      if (message.status) notes.push({ type: 'text', text: `[${NOTES[message.status]}]` });
    } else {
      const content = contents.get(index) ?? [{ type: 'text' as const, text: textOf(message) }];
      out.push({ role: 'user', content: [...notes, ...content] });
      notes = [];
    }
  }
  if (notes.length > 0) out.push({ role: 'user', content: notes });
  return out;
}

function textOf({ content }: TurnMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
