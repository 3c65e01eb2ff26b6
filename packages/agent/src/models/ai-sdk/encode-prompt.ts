import type { AssistantContent, ModelMessage, UserContent } from '../model.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { objectOf } from '../upstream/read-json.ts';

/** Encodes the conversation for the AI SDK's providers. Source: `LanguageModelV4Prompt` of @ai-sdk/provider 4. */
export function encodePrompt(
  version: string,
  system: string | undefined,
  messages: readonly ModelMessage[],
): readonly unknown[] {
  return [
    ...(system ? [{ role: 'system', content: system }] : []),
    ...messages.map((message) => encodeMessage(version, message)),
  ];
}

function encodeMessage(version: string, message: ModelMessage): unknown {
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
