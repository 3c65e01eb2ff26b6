import type { AssistantContent, ModelMessage, UserContent } from '../model.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { objectOf } from '../upstream/read-json.ts';

/** Marks a prefix for Anthropic's cache; other providers cache without being told. Source: AI SDK, "Anthropic provider", cache control. */
const CACHED = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } as const;

/**
 * Encodes the conversation for the AI SDK's providers. Source: `LanguageModelV4Prompt` of @ai-sdk/provider 4.
 * @param isMarked marks the system prompt and the last message for Anthropic's cache.
 */
export function encodePrompt(
  version: string,
  system: string | undefined,
  messages: readonly ModelMessage[],
  isMarked = false,
): readonly unknown[] {
  const mark = isMarked ? CACHED : {};
  return [
    ...(system ? [{ role: 'system', content: system, ...mark }] : []),
    ...messages.map((message, index) => ({
      ...encodeMessage(version, message),
      ...(index === messages.length - 1 && mark),
    })),
  ];
}

function encodeMessage(version: string, message: ModelMessage): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content.map((part) => encodeUser(version, part)) };
    case 'assistant':
      return { role: 'assistant', content: message.content.flatMap(encodeAssistant) };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.callId,
            toolName: message.tool,
            output: { type: message.isError ? 'error-text' : 'text', value: message.text },
          },
        ],
      };
  }
}

function encodeUser(version: string, part: UserContent): unknown {
  if (part.type === 'text') return part;
  const data = version === 'v4' ? { type: 'data', data: part.data } : part.data;
  return { type: 'file', filename: part.name, mediaType: part.mediaType, data };
}

function encodeAssistant(part: AssistantContent): readonly unknown[] {
  switch (part.type) {
    case 'text':
      return [part];
    case 'thinking': {
      const { metadata } = objectOf(part.proof);
      return metadata ? [{ type: 'reasoning', text: part.text, providerOptions: metadata }] : [];
    }
    case 'tool_call': {
      const input = parseToolArguments(part.args) ?? {};
      const { metadata } = objectOf(part.proof);
      const call = { type: 'tool-call', toolCallId: part.id, toolName: part.tool, input };
      return [metadata ? { ...call, providerOptions: metadata } : call];
    }
  }
}
