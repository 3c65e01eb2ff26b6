import type { AssistantMessage, ModelMessage, UserContent } from '../model.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { objectOf } from '../upstream/read-json.ts';

/**
 * Encodes the conversation for Chat Completions. Thinking is left out, because servers refuse it or count it twice; except thinking
 * before calls of the current turn, which DeepSeek expects back.
 */
export function encodeMessages(system: string | undefined, messages: readonly ModelMessage[]): readonly unknown[] {
  return [...(system ? [{ role: 'system', content: system }] : []), ...messages.map(encodeMessage)];
}

function encodeMessage(message: ModelMessage): unknown {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: encodeContent(message.content) };
    case 'assistant':
      return encodeAssistant(message);
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
  }
}

/** Keeps plain text a string: small servers accept nothing else. */
function encodeContent(content: readonly UserContent[]): unknown {
  if (content.every((part) => part.type === 'text')) return content.map((part) => part.text).join('\n\n');
  return content.map(encodePart);
}

function encodePart(part: UserContent): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
    case 'file':
      return { type: 'file', file: { filename: part.name, file_data: `data:${part.mediaType};base64,${part.data}` } };
  }
}

function encodeAssistant({ content }: AssistantMessage): unknown {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = content.flatMap((part) =>
    part.type === 'tool_call'
      ? [
          {
            id: part.id,
            type: 'function',
            // Servers parse these too, and refuse the whole conversation over invalid arguments of one call.
            function: { name: part.tool, arguments: parseToolArguments(part.args) ? part.args || '{}' : '{}' },
            ...extraOf(part.proof),
          },
        ]
      : [],
  );
  if (calls.length === 0) return { role: 'assistant', content: text };
  return { role: 'assistant', content: text === '' ? null : text, ...thinkingOf(content), tool_calls: calls };
}

function extraOf(proof: unknown): object {
  const { extra } = objectOf(proof);
  return extra === undefined ? {} : { extra_content: extra };
}

function thinkingOf(content: AssistantMessage['content']): object {
  const thoughts = content.flatMap((part) => (part.type === 'thinking' ? [part] : []));
  const { field } = objectOf(thoughts[0]?.proof);
  return typeof field === 'string' ? { [field]: thoughts.map(({ text }) => text).join('') } : {};
}
