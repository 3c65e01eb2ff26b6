import type { TurnMessage } from '@berth/agent-core';
import type { CompletionMessage, InputPart } from '@berth/contract/agent';

const ROLES: Readonly<Record<CompletionMessage['role'], TurnMessage['role']>> = {
  system: 'system',
  // The newer name of `system`.
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  // The older name of `tool`.
  function: 'tool',
};

/** Converts the messages of an OpenAI client to those that handlers take. */
export function toTurnMessages(messages: readonly CompletionMessage[]): TurnMessage[] {
  return messages.map(({ role, content }) => ({ role: ROLES[role], content: toContent(content ?? '') }));
}

function toContent(content: NonNullable<CompletionMessage['content']>): TurnMessage['content'] {
  if (typeof content === 'string') return content;
  const parts = content.map((part): InputPart => {
    if (part.type === 'image_url') return { type: 'image', image: part.image_url.url };
    if (part.type === 'file') return { type: 'file', file: part.file.file_data ?? part.file.filename ?? '' };
    return { type: 'text', text: part.type === 'text' ? part.text : part.refusal };
  });
  // Many clients send plain text as a list of text parts.
  return parts.every((part) => part.type === 'text') ? parts.map((part) => part.text).join('\n\n') : parts;
}
